import CoreData

extension MagicalRecord {
    /// Where a stack's managed object model comes from.
    public struct ModelSource: Sendable {
        let load: @Sendable () throws -> NSManagedObjectModel

        /// The default model, if one was set; else all models of the main bundle, merged.
        public static var merged: ModelSource {
            ModelSource {
                if let model = try MagicalRecord.findDefaultModel(), !model.entities.isEmpty { return model }
                throw MagicalRecordError(
                    .modelNotFound, "The main bundle has no compiled model.",
                    advice: "Add a .xcdatamodeld to the target, or pass model: .merged(from: [.module]).")
            }
        }

        /// All models of these bundles, merged. In a package, say `.merged(from: [.module])`.
        public static func merged(from bundles: [Bundle]) -> ModelSource {
            let bundles = Unchecked(bundles)
            return ModelSource {
                // Bundles are read only here, and are safe to use from any thread.
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

        /// The model of that name; an extension is not needed.
        public static func named(_ name: String, in bundle: Bundle = .main) -> ModelSource {
            let bundle = Unchecked(bundle)
            return ModelSource {
                // Bundles are read only here, and are safe to use from any thread.
                guard let model = NSManagedObjectModel.magicalModel(named: name, in: bundle.value) else {
                    throw MagicalRecordError(
                        .modelNotFound, "No model named \(name) was found in \(bundle.value.bundlePath).",
                        advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
                }
                return model
            }
        }

        /// The compiled model (`.momd` or `.mom`) at that place.
        public static func contents(of url: URL) -> ModelSource {
            ModelSource {
                guard let model = NSManagedObjectModel(contentsOf: url) else {
                    throw MagicalRecordError(.modelNotFound, "No compiled model can be read at \(url.path).")
                }
                return model
            }
        }

        /// A model object you have made yourself.
        public static func model(_ model: NSManagedObjectModel) -> ModelSource {
            // A model is not changed once a coordinator has it, which is what follows.
            let model = Unchecked(model)
            return ModelSource { model.value }
        }
    }
}

extension MagicalRecord {
    /// The model that was set as the default one; else, where it may be made, that of the main bundle, set as the default.
    ///
    /// - Throws: ``MagicalRecordError/Code/modelNotFound`` naming the bundles whose models exclude each other.
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

    /// As ``findDefaultModel()``; what stands in the way goes to the error handler.
    static func defaultModel() -> NSManagedObjectModel? { reporting { try findDefaultModel() } ?? nil }
}

extension NSManagedObjectModel {
    /// All models of the main bundle, merged, or `nil` when it has none, or they exclude each other.
    static func mergedMainModel() -> NSManagedObjectModel? {
        guard let model = MagicalRecord.reporting({ try mergedOrThrow(from: nil) }) ?? nil, !model.entities.isEmpty
        else { return nil }
        return model
    }

    /// All models of the bundles, merged. Models that exclude each other are an error, where Apple's framework traps.
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

    /// The model of that name in a bundle; the extension may be part of the name or left out.
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
