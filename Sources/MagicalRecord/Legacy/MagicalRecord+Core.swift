import CoreData

extension MagicalRecord {
    /// The version of the original that is followed.
    @discardableResult
    public class func version() -> MagicalRecordVersionTag { .tag2_4 }

    /// A description of the default stack, for debugging: entities, coordinator, stores, contexts.
    @discardableResult
    public class func currentStack() -> String {
        guard let stack = defaultStack else { return "No default stack" }
        let hashes = stack.model.entityVersionHashesByName.sorted { $0.key < $1.key }
            .map { "  \($0.key): \($0.value.map { String(format: "%02x", $0) }.joined())" }
        return
            ([
                "Model:"
            ] + hashes + [
                "Coordinator: \(stack.coordinator)",
                "Stores: " + stack.stores.map { $0.url?.path ?? $0.type }.joined(separator: ", "),
                "Default context: \(stack.mainContext.mr_description())",
                "Context chain:" + stack.mainContext.mr_parentChain(),
            ]).joined(separator: "\n")
    }

    /// Forgets the default stack, the default model and the error handler, and posts
    /// `Notification.Name.magicalRecordCleanedUp`.
    ///
    /// The stores are closed, so that the same files can be set up again at once. Nothing is saved, no file is deleted.
    /// Waits for the saves of the stack that are running.
    public class func cleanUp() {
        resetErrorHandling()
        ThreadContexts.invalidate()
        reporting { try tearDownAndWait() }
    }

    /// Makes all models of the bundle that holds `modelClass`, merged, the default model.
    public class func setDefaultModelFrom(_ modelClass: AnyClass) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mergedModel(from: ClassBundles.bundles(for: modelClass)))
    }

    /// Makes the named model of the main bundle the default model. The extension may be left out.
    public class func setDefaultModelNamed(_ modelName: String) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mr_newManagedObjectModelNamed(modelName))
    }

    /// Gives Objective-C code the original's names without their prefix: `[User findAll]` for `[User MR_findAll]`.
    ///
    /// Once for the whole program, and for good. Off Apple's platforms, and for Swift, it does nothing: there the names
    /// without prefix are the modern functions.
    public class func enableShorthandMethods() {
        #if canImport(ObjectiveC)
        Shorthand.added
        #endif
    }
}

/// The bundles that may hold the resources of a class's module.
enum ClassBundles {
    static func bundles(for type: AnyClass) -> [Bundle] {
        #if canImport(ObjectiveC)
        return [Bundle(for: type)]
        #else
        // A package's resources lie beside the executable, in `Package_Module.resources`.
        let module = ClassName.full(type).split(separator: ".").first.map(String.init) ?? ""
        let directories = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        let candidates = directories.compactMap { $0 }.flatMap { directory in
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        }
        let own = Set(candidates.filter { $0.lastPathComponent.hasSuffix("_\(module).resources") })
        let bundles = own.compactMap(Bundle.init(url:))
        return bundles.isEmpty ? [.main] : bundles
        #endif
    }
}
