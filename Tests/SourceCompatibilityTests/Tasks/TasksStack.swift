import CoreData
import Foundation

/// The three lazy properties of Xcode's older template, with a model that has versions.
class TasksStack {
    private let directory: URL
    private let modelVersion: String?

    init(directory: URL, modelVersion: String? = nil) {
        self.directory = directory
        self.modelVersion = modelVersion
    }

    lazy var managedObjectModel: NSManagedObjectModel = {
        var url = Bundle.module.url(forResource: "Tasks", withExtension: "momd")!
        if let version = modelVersion {
            url.appendPathComponent(version + ".mom")
        }
        return NSManagedObjectModel(contentsOf: url)!
    }()

    var storeURL: URL { return directory.appendingPathComponent("Tasks.sqlite") }

    func makeCoordinator(options: [AnyHashable: Any]?) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
        return coordinator
    }

    func makeContext(options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try makeCoordinator(options: options)
        return context
    }
}
