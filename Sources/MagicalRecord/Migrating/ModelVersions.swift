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
            models = try names.sorted { (Self.number($0), $0) < (Self.number($1), $1) }.map { name in
                guard let model = NSManagedObjectModel(contentsOf: url.appendingPathComponent(name)) else {
                    throw MagicalRecordError(.modelNotFound, "The version \(name) in \(url.path) cannot be read.")
                }
                return model
            }
        }

        /// Loads all versions of a model with a name in a bundle, as ``init(at:)`` does.
        public init(named name: String, in bundle: Bundle = .main) throws {
            guard let url = bundle.url(forResource: name, withExtension: "momd") else {
                throw MagicalRecordError(
                    .modelNotFound, "No model named \(name) was found in \(bundle.bundlePath).",
                    advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
            }
            try self.init(at: url)
        }

        private static func number(_ name: String) -> Int {
            let base = (name as NSString).deletingPathExtension
            return Int(String(base.reversed().prefix { $0.isNumber }.reversed())) ?? 0
        }

        /// Returns the index of the version of a store, or of the part of it that belongs to a configuration.
        func index(ofStoreWith metadata: [String: Any], configuration: String? = nil) -> Int? {
            models.firstIndex { model in
                [nil, configuration].contains { name in
                    name.map(model.configurations.contains) ?? true
                        && model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata)
                }
            }
        }

        /// Returns the index of the version that equals a model.
        func index(of model: NSManagedObjectModel) -> Int? {
            let hashes = model.entityVersionHashesByName
            return models.lastIndex { $0 === model || $0.entityVersionHashesByName == hashes }
        }
    }
}
