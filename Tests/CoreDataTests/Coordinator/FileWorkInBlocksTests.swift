import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Inside a block of a context, whose faults are read from one state of the file: work on the file itself waits for no reader, not
/// for the one of the block either.
@Suite("Work on files in blocks of contexts") struct FileWorkInBlocksTests {
    private let library: SQLiteLibrary

    init() throws {
        library = try SQLiteLibrary()
        try library.context.performAndWait {
            for name in ["Ann", "Bob", "Cleo"] { library.context.insert("Author", ["name": name]) }
            try library.context.save()
        }
    }

    /// Fires faults of the store, and goes on while what they read from may be left open.
    private func afterReading(
        through child: Bool = false, _ body: () throws -> Void
    ) throws {
        let context = library.makeContext()
        let reader = child ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : context
        if child { reader.parent = context }
        try reader.performAndWait { () throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.includesPropertyValues = false
            let names = try reader.fetch(request).compactMap { $0.value(forKey: "name") as? String }
            #expect(names.sorted() == ["Ann", "Bob", "Cleo"])
            let begin = ContinuousClock.now
            try body()
            #expect(begin.duration(to: .now) < .seconds(20))
        }
    }

    private let hasty: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.2]

    @Test(arguments: [false, true]) func theStoreIsDestroyed(throughChild: Bool) throws {
        let other = NSPersistentStoreCoordinator(managedObjectModel: library.model)
        try afterReading(through: throughChild) {
            try other.destroyPersistentStore(at: library.url, ofType: NSSQLiteStoreType, options: hasty)
        }
    }

    @Test func theStoreIsReplaced() throws {
        let source = try SQLiteLibrary()
        let other = NSPersistentStoreCoordinator(managedObjectModel: library.model)
        try afterReading {
            try other.replacePersistentStore(
                at: library.url, destinationOptions: hasty, withPersistentStoreFrom: source.url, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
        }
    }

    @Test func theStoreIsMigratedToAnother() throws {
        let copy = library.url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
        try afterReading {
            _ = try library.coordinator.migratePersistentStore(
                library.store, to: copy, options: hasty, withType: NSSQLiteStoreType)
        }
        #expect(library.store.url?.lastPathComponent == "Copy.sqlite")
    }

    @Test func theFileIsCompacted() throws {
        try afterReading {
            let other = NSPersistentStoreCoordinator(managedObjectModel: library.model)
            _ = try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: library.url,
                options: [NSSQLiteManualVacuumOption: true, NSPersistentStoreTimeoutOption: 0.2])
        }
    }

    /// What one context commits in the block is seen by the faults that another one fires there.
    @Test func faultsShowWhatTheBlockHasSaved() throws {
        let writer = library.makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.includesPropertyValues = false
        try afterReading {
            try writer.performAndWait { () throws in
                for author in try writer.fetchAll("Author") { author.setValue("New", forKey: "name") }
                try writer.save()
            }
            let reader = library.makeContext()
            let names = try reader.performAndWait { () throws in
                try reader.fetch(request).compactMap { $0.value(forKey: "name") as? String }
            }
            #expect(names == ["New", "New", "New"])
        }
    }
}
