import CoreData
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

/// SQLite stores that cannot be read for a while, or for good: the error is told, and nothing is taken for empty.
@Suite("SQLite files that cannot be read")
struct UnreadableFileTests {
    private let folder: TemporaryFolder
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model)
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Library.sqlite")
        // Without a write-ahead log a reader waits for whoever holds the file.
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"], NSPersistentStoreTimeoutOption: 0.05])
        let context = context()
        try context.performAndWait { () throws in
            try Library.fill(context)
            try context.save()
        }
    }

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The page that the table of kids begins on, and the size of pages in bytes.
    private func pageOfKids() throws -> (page: Int64, size: Int64) {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: 1)
        return (
            try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'ZKID'"),
            try connection.integer("PRAGMA page_size")
        )
    }

    @Test func aBusyFile() throws {
        let context = context()
        try context.performAndWait { () throws in
            let owner = try context.all("Owner")[0]
            let kid = try context.fault("Kid", "Ak0")
            var holder = Optional(try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1))
            try holder?.executeScript("BEGIN EXCLUSIVE")
            #expect(owner.names("kids") == [])
            #expect(kid.name == nil)
            kid.setValue("lost", forKey: "name")
            context.delete(owner)
            context.processPendingChanges()
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.localizedRecoverySuggestion != nil)
            try holder?.executeScript("ROLLBACK")
            holder = nil
            #expect(owner.names("kids") == ["Ak0", "Ak1", "Ak2"])
            #expect(throws: NSError.self) { try context.save() }
            context.takeReadError()
            try context.save()
        }
        let check = self.context()
        let found = try check.performAndWait { try check.all("Kid").map(\.name) }
        #expect(found == ["Bk0", "Bk1", "Bk2"])
    }

    /// A page whose content is lost: the rows of other pages are read.
    @Test func aDamagedFile() throws {
        let context = context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            let (page, size) = try pageOfKids()
            #expect(owner.name == "A")
            let file = try FileHandle(forUpdating: url)
            try file.seek(toOffset: UInt64((page - 1) * size))
            file.write(Data(repeating: 0xA5, count: Int(size)))
            try file.close()
            // An index tells which they are.
            #expect(owner.names("kids") == ["nil", "nil", "nil"])
            #expect(context.readError != nil)
            #expect(owner.names("pages") == ["Ap0", "Ap1", "Ap2"])
            context.delete(owner)
            #expect(throws: NSError.self) { try context.save() }
            context.takeReadError()
            #expect(throws: NSError.self) { try context.save() }
            context.reset()
            #expect(try context.all("Owner").count == 3)
        }
    }
}
