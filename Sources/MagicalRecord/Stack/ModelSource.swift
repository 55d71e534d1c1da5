import CoreData

extension MagicalRecord {
    /// The source of a stack's managed object model.
    public struct ModelSource: Sendable {
        let load: @Sendable () throws -> NSManagedObjectModel

        /// The default model, if one was set; otherwise all models of the main bundle, merged.
        public static var merged: ModelSource {
            ModelSource {
                if let model = try MagicalRecord.findDefaultModel(), !model.entities.isEmpty { return model }
                throw MagicalRecordError(
                    .modelNotFound, "The main bundle has no compiled model.",
                    advice: "Add a .xcdatamodeld to the target, or pass model: .merged(from: [.module]).")
            }
        }

        /// Returns all models of these bundles, merged. In a package, pass `.merged(from: [.module])`.
        public static func merged(from bundles: [Bundle]) -> ModelSource {
            let bundles = Unchecked(bundles)
            return ModelSource {
                // Bundles are only read here, which is safe on any thread.
                guard let model = try NSManagedObjectModel.mergedOrThrow(from: bundles.value), !model.entities.isEmpty
                else {
                    let names = bundles.value.map(\.bundlePath).joined(separator: ", ")
                    throw MagicalRecordError(
                        .modelNotFound, "No compiled model (.momd or .mom) was found in \(names).",
                        advice:
                            "Off Apple's platforms the CoreDataModelPlugin of this package compiles a target's models.")
                }
                return model
            }
        }

        /// Returns the model with a name, with or without an extension.
        public static func named(_ name: String, in bundle: Bundle = .main) -> ModelSource {
            let bundle = Unchecked(bundle)
            return ModelSource {
                // Bundles are only read here, which is safe on any thread.
                guard let model = NSManagedObjectModel.magicalModel(named: name, in: bundle.value) else {
                    throw MagicalRecordError(
                        .modelNotFound, "No model named \(name) was found in \(bundle.value.bundlePath).",
                        advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
                }
                return model
            }
        }

        /// Returns the compiled model (`.momd` or `.mom`) at a URL.
        public static func contents(of url: URL) -> ModelSource {
            ModelSource {
                guard let model = NSManagedObjectModel(contentsOf: url) else {
                    throw MagicalRecordError(.modelNotFound, "No compiled model can be read at \(url.path).")
                }
                return model
            }
        }

        /// Returns a source for an existing model object.
        public static func model(_ model: NSManagedObjectModel) -> ModelSource {
            // Safe: the coordinator that gets the model makes it immutable.
            let model = Unchecked(model)
            return ModelSource { model.value }
        }
    }
}

extension MagicalRecord {
    /// Returns the default model. If none was set, merges the models of the main bundle and sets the result, unless
    /// ``shouldAutoCreateManagedObjectModel()`` is false.
    ///
    /// - Throws: ``MagicalRecordError/Code/modelNotFound`` if models conflict; the error names their bundles.
    static func findDefaultModel() throws -> NSManagedObjectModel? {
        if let model = defaults.withLock({ $0.model }) { return model }
        guard shouldAutoCreateManagedObjectModel(), let merged = try NSManagedObjectModel.mergedOrThrow(from: nil),
            !merged.entities.isEmpty
        else {
            return nil
        }
        return defaults.withLock { defaults in
            if defaults.model == nil { defaults.model = merged }
            return defaults.model
        }
    }

    /// Returns ``findDefaultModel()``, or nil after an error, which goes to the error handler.
    static func defaultModel() -> NSManagedObjectModel? { reporting { try findDefaultModel() } ?? nil }
}

extension NSManagedObjectModel {
    /// Returns all models of the main bundle, merged; nil if there are none or they conflict.
    static func mergedMainModel() -> NSManagedObjectModel? {
        guard let model = MagicalRecord.reporting({ try mergedOrThrow(from: nil) }) ?? nil, !model.entities.isEmpty
        else { return nil }
        return model
    }

    /// Returns all models of the bundles, merged. Conflicting models are an error where Apple's framework traps.
    static func mergedOrThrow(from bundles: [Bundle]?) throws -> NSManagedObjectModel? {
        #if canImport(Darwin)
        return mergedModel(from: bundles)
        #else
        do {
            return try merging(bundles: bundles)
        } catch {
            let reason = error as NSError
            throw MagicalRecordError(
                .modelNotFound, reason.localizedDescription, advice: reason.localizedRecoverySuggestion,
                entity: reason.userInfo["entity"] as? String)
        }
        #endif
    }

    /// Returns the model with a name in a bundle; the name may include the extension.
    static func magicalModel(named name: String, in bundle: Bundle) -> NSManagedObjectModel? {
        let given = (name as NSString).pathExtension
        let base = given.isEmpty ? name : (name as NSString).deletingPathExtension
        for kind in given.isEmpty ? ["momd", "mom"] : [given] {
            if let url = bundle.url(forResource: base, withExtension: kind),
                let model = NSManagedObjectModel(contentsOf: url)
            {
                return model
            }
        }
        return nil
    }
}
