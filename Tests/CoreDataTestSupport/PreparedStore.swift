import CoreData
import Foundation

/// The files of a SQLite store that is filled once and copied for each test of a suite.
package struct PreparedStore: Sendable {
    private let files: [String: Data]

    /// Makes a store, lets `fill` work with a context on it, saves and closes it.
    package init(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Store"), options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try fill(context)
            try context.save()
        }
        try coordinator.remove(store)
        files = try ["", "-wal"].reduce(into: [:]) { files, suffix in
            let path = folder.file("Store" + suffix).path
            guard FileManager.default.fileExists(atPath: path) else { return }
            files[suffix] = try Data(contentsOf: URL(fileURLWithPath: path))
        }
    }

    /// Writes the store to a place where there is none.
    package func write(to url: URL) throws {
        for (suffix, content) in files { try content.write(to: URL(fileURLWithPath: url.path + suffix)) }
    }
}
