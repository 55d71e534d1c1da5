import CoreData

extension MagicalRecord {
    /// The source of a stack's managed object model.
    public struct ModelSource: Sendable {
        package let load: @Sendable () throws -> NSManagedObjectModel
        /// The compiled models (`.momd`) that may contain older versions; nil to search as Core Data does by default.
        let bundles: @Sendable () -> [URL]?

        /// Returns a source that throws ``MagicalRecordError/Code/modelNotFound`` if `find` returns nil.
        private static func found(
            by find: @escaping @Sendable () throws -> NSManagedObjectModel?,
            in bundles: @escaping @Sendable () -> [URL]?,
            orElse message: @escaping @autoclosure @Sendable () -> String, advice: String? = nil
        ) -> ModelSource {
            ModelSource(
                load: {
                    if let model = try find() { return model }
                    throw MagicalRecordError(.modelNotFound, message(), advice: advice)
                }, bundles: bundles)
        }

        /// The default model, if one was set; otherwise the program's.
        ///
        /// The models of the main bundle, merged. If it has none, as in a package, those of the resource bundle of the program's
        /// target, or else of the only resource bundle beside the program that has models. If several have, or none, the set-up
        /// throws ``MagicalRecordError/Code/modelNotFound`` with the models there are, or the places that were searched.
        public static var merged: ModelSource {
            ModelSource(
                load: {
                    if let model = try MagicalRecord.findDefaultModel(), !model.entities.isEmpty { return model }
                    guard MagicalRecord.shouldAutoCreateManagedObjectModel() else {
                        throw MagicalRecordError(
                            .modelNotFound,
                            "There is no default model, and shouldAutoCreateManagedObjectModel() is false.",
                            advice:
                                "Set a default model first, or pass one: setUp(model: .named(\"Model\", in: .module)).")
                    }
                    throw ProgramModels().notFound
                },
                bundles: { nil })
        }

        /// Returns all models of these bundles, merged. In a package, pass `.merged(from: [.module])`.
        public static func merged(from bundles: [Bundle]) -> ModelSource {
            // Bundles are only read here, which is safe on any thread.
            let bundles = Unchecked(bundles)
            return found(
                by: { try .mergedOrThrow(from: bundles.value) },
                in: {
                    bundles.value.flatMap { $0.paths(forResourcesOfType: "momd", inDirectory: nil) }
                        .map { URL(fileURLWithPath: $0, isDirectory: true) }
                },
                orElse: "No compiled model (.momd or .mom) was found in "
                    + bundles.value.map(\.bundlePath).joined(separator: ", ") + ".",
                advice: "Off Apple's platforms the CoreDataModelPlugin of this package compiles a target's models.")
        }

        /// Returns the model with a name, with or without an extension.
        public static func named(_ name: String, in bundle: Bundle = .main) -> ModelSource {
            // Bundles are only read here, which is safe on any thread.
            let bundle = Unchecked(bundle)
            return found(
                by: { .magicalModel(named: name, in: bundle.value) },
                in: {
                    let base = (name as NSString).deletingPathExtension
                    return [bundle.value.url(forResource: base, withExtension: "momd")].compactMap(\.self)
                },
                orElse: "No model named \(name) was found in \(bundle.value.bundlePath).",
                advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
        }

        /// Returns the compiled model (`.momd` or `.mom`) at a URL.
        public static func contents(of url: URL) -> ModelSource {
            found(
                by: { NSManagedObjectModel(contentsOf: url) },
                in: { url.pathExtension == "momd" ? [url] : [] },
                orElse: "No compiled model can be read at \(url.path).")
        }

        /// Returns a source for an existing model object.
        public static func model(_ model: NSManagedObjectModel) -> ModelSource {
            // Safe: the coordinator that gets the model makes it immutable.
            let model = Unchecked(model)
            return ModelSource(load: { model.value }, bundles: { nil })
        }
    }

    /// Returns the default model. If none was set, finds the program's (see ``ModelSource/merged``) and sets it, unless
    /// ``shouldAutoCreateManagedObjectModel()`` is false. Throws ``MagicalRecordError/Code/modelNotFound``, which names their
    /// bundles, if models conflict or several bundles have some.
    static func findDefaultModel() throws -> NSManagedObjectModel? {
        if let model = defaults.withLock({ $0.model }) { return model }
        guard shouldAutoCreateManagedObjectModel(), let found = try ProgramModels().model() else { return nil }
        return defaults.withLock { defaults in
            if defaults.model == nil { defaults.model = found }
            return defaults.model
        }
    }

    /// Returns ``findDefaultModel()``, or nil after an error, which goes to the error handler.
    static func defaultModel() -> NSManagedObjectModel? { reporting { try findDefaultModel() } ?? nil }
}

extension NSManagedObjectModel {
    /// Returns all models of the main bundle, merged; nil if there are none or they conflict.
    static func mergedMainModel() -> NSManagedObjectModel? {
        MagicalRecord.reporting { try mergedOrThrow(from: nil) } ?? nil
    }

    /// Returns all models of the bundles, merged; nil without entities. Conflicting models are an error where Apple's framework
    /// traps.
    static func mergedOrThrow(from bundles: [Bundle]?) throws -> NSManagedObjectModel? {
        #if canImport(Darwin)
        let model = mergedModel(from: bundles)
        #else
        let model: NSManagedObjectModel?
        do {
            model = try merging(bundles: bundles)
        } catch {
            let reason = error as NSError
            throw MagicalRecordError(
                .modelNotFound, reason.localizedDescription, advice: reason.localizedRecoverySuggestion,
                entity: reason.userInfo["entity"] as? String)
        }
        #endif
        return model?.entities.isEmpty ?? true ? nil : model
    }

    /// Returns the model with a name in a bundle; the name may include the extension.
    static func magicalModel(named name: String, in bundle: Bundle) -> NSManagedObjectModel? {
        let given = (name as NSString).pathExtension
        let base = given.isEmpty ? name : (name as NSString).deletingPathExtension
        for kind in given.isEmpty ? ["momd", "mom"] : [given] {
            let url = bundle.url(forResource: base, withExtension: kind)
            if let model = url.flatMap({ NSManagedObjectModel(contentsOf: $0) }) { return model }
        }
        return nil
    }
}
