import CoreData

extension MagicalRecord {
    /// The versions of a model, oldest first, for a chain of migrations.
    public struct ModelVersions: @unchecked Sendable {
        /// The versions. They must not be changed any more.
        public let models: [NSManagedObjectModel]

        /// Creates a list of versions, oldest first.
        public init(_ models: [NSManagedObjectModel]) { self.models = models }

        /// Loads all versions in a compiled model (`.momd`), in the order of the numbers in their names; the one without a
        /// number is the first.
        ///
        /// - Throws: ``MagicalRecordError/Code/modelNotFound`` if there is none or one cannot be read.
        public init(at url: URL) throws {
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter {
                $0.hasSuffix(".mom") || $0.hasSuffix(".xcdatamodel")
            }
            guard !names.isEmpty else {
                throw MagicalRecordError(
                    .modelNotFound, "There are no versions of a model at \(url.path).",
                    advice: "Give the place of a .momd: bundle.url(forResource: name, withExtension: \"momd\").")
            }
            models = try names.sorted(by: Self.precedes).map { name in
                guard let model = NSManagedObjectModel(contentsOf: url.appendingPathComponent(name)) else {
                    throw MagicalRecordError(.modelNotFound, "The version \(name) in \(url.path) cannot be read.")
                }
                return model
            }
        }

        /// Loads all versions of a model with a name in a bundle.
        ///
        /// - Throws: ``MagicalRecordError/Code/modelNotFound`` if there is no such model or one of its versions cannot be read.
        public init(named name: String, in bundle: Bundle = .main) throws {
            guard let url = bundle.url(forResource: name, withExtension: "momd") else {
                throw MagicalRecordError(
                    .modelNotFound, "No model named \(name) was found in \(bundle.bundlePath).",
                    advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
            }
            try self.init(at: url)
        }

        private static func precedes(_ one: String, _ other: String) -> Bool {
            let (a, b) = (number(one), number(other))
            return a == b ? one < other : a < b
        }

        private static func number(_ name: String) -> Int {
            let base = (name as NSString).deletingPathExtension
            return Int(String(base.reversed().prefix { $0.isNumber }.reversed())) ?? 0
        }

        /// Returns the index of the version of a store, or of the part of it that belongs to a configuration; nil if none
        /// matches.
        func index(ofStoreWith metadata: [String: Any], configuration: String? = nil) -> Int? {
            models.firstIndex { model in
                model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                    || configuration.map {
                        model.configurations.contains($0)
                            && model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
                    } ?? false
            }
        }

        /// Returns the index of the version that equals a model.
        func index(of model: NSManagedObjectModel) -> Int? {
            let hashes = model.entityVersionHashesByName
            return models.lastIndex { $0 === model || $0.entityVersionHashesByName == hashes }
        }
    }
}
