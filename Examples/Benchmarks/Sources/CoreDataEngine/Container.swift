import CoreData
import Foundation
import Workloads

/// Functions that open and close the stack of Apple's templates: a persistent container with one SQLite store.
enum Container {
    static func open(_ url: URL, synchronous: Synchronous) throws -> NSPersistentContainer {
        let container = try makeContainer()
        let description = NSPersistentStoreDescription(url: url)
        if url.isFileURL {
            for setting in StoreLayout.settings(synchronous) {
                description.setValue(setting.value as NSString, forPragmaNamed: setting.name)
            }
        }
        container.persistentStoreDescriptions = [description]

        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        container.viewContext.undoManager = nil
        return container
    }

    private static func makeContainer() throws -> NSPersistentContainer {
        #if canImport(Darwin)
        // Apple's container searches the model in the main bundle only, which does not contain a package's resources.
        guard let modelURL = Bundle.module.url(forResource: "Model", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: modelURL)
        else { throw BenchmarkError("the compiled model is missing from \(Bundle.module.bundlePath)") }
        return NSPersistentContainer(name: "Model", managedObjectModel: model)
        #else
        return NSPersistentContainer(name: "Model")
        #endif
    }

    static func close(_ container: NSPersistentContainer) throws {
        container.viewContext.reset()
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }
}
