import CoreData
import Foundation

/// Migrates a store of tasks to the next version of its model and back, and prints its contents after each step.
@main
struct Program {
    let store: URL
    /// The first version, in which a location has a name.
    let first: NSManagedObjectModel
    /// The second version, in which a location also has an address.
    let second: NSManagedObjectModel

    static func main() {
        do {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Tasks-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Program(store: folder.appendingPathComponent("Tasks.sqlite")).run()
        } catch {
            let reason = (error as NSError).localizedFailureReason.map { " \($0)" } ?? ""
            FileHandle.standardError.write(Data("Migration: \(error.localizedDescription)\(reason)\n".utf8))
            exit(1)
        }
    }

    init(store: URL) throws {
        self.store = store
        first = try Self.model("Tasks")
        second = try Self.model("Tasks 2")
    }

    /// Returns a version of the model from the `.momd` folder, which contains all versions.
    private static func model(_ version: String) throws -> NSManagedObjectModel {
        guard let folder = Bundle.module.url(forResource: "Tasks", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: folder.appendingPathComponent("\(version).mom"))
        else { throw CocoaError(.fileReadNoSuchFile) }
        return model
    }

    private func run() throws {
        print("Version 1, filled with tasks")
        try open(first) { context in
            TaskList.fill(context)
            try context.save()
        }
        try show(first)

        print("\nVersion 2 without migration")
        do {
            try open(second) { _ in }
        } catch CocoaError.persistentStoreIncompatibleVersionHash {
            print("  refused: the store is of another version of the model")
        }

        print("\nVersion 2 by lightweight migration: every location can have an address")
        let lightweight: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        try open(second, lightweight) { context in
            try TaskList.giveAddresses(context)
            try context.save()
        }
        try show(second)

        print("\nBack to version 1 by the mapping model: priority 2, text NEW TASK, due now, no addresses")
        // Without NSInferMappingModelAutomaticallyOption, Core Data uses the mapping model in the bundle or fails.
        try open(first, [NSMigratePersistentStoresAutomaticallyOption: true]) { _ in }
        try show(first)
    }

    /// Opens the store with a version of the model, runs `body` on a context's queue and closes the store.
    private func open(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try body(context) }
        try coordinator.remove(added)
    }

    private func show(_ model: NSManagedObjectModel) throws {
        try open(model) { try TaskList.print($0) }
    }
}
