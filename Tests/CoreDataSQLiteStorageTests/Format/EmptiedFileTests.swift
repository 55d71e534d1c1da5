import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// The main file of a store is emptied while the store is open: no save may succeed that nothing can be read of later.
@Suite
struct EmptiedFileTests {
    private let store: FormatStore

    init() throws {
        store = try FormatStore([FormatStore.entity("Note")])
    }

    private func insert(_ count: Int, in context: NSManagedObjectContext? = nil) throws {
        let context = context ?? store.context
        for number in 0..<count {
            context.insert("Note", ["name": String(repeating: "x", count: 2000) + "\(number)"])
        }
        try context.save()
    }

    private func checkpoint(_ mode: String = "TRUNCATE") throws { try store.run("PRAGMA wal_checkpoint(\(mode))") }

    private var size: Int {
        (try? FileManager.default.attributesOfItem(atPath: store.url.path)[.size] as? NSNumber)??.intValue ?? 0
    }

    private func expectRefusal(_ comment: Comment) {
        store.context.insert("Note", ["name": "late"])
        // It stays refused.
        for _ in 1...2 {
            let error = #expect(throws: NSError.self, comment) { try store.context.save() }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue, comment)
            #expect(error?.localizedRecoverySuggestion?.isEmpty == false)
        }
        #expect(store.context.hasChanges)
        #expect(throws: NSError.self) {
            try store.context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "x"]]))
        }
    }

    /// With everything in the log, in the file, or some in each; cut to nothing, or to less than a database's header.
    @Test(arguments: ["log", "file", "both"], [0, 1, 99])
    func anEmptiedFile(_ place: String, _ size: Int) throws {
        try insert(200)
        if place != "log" { try checkpoint() }
        if place != "file" { try insert(3) }
        #expect(truncate(store.url.path, size) == 0)
        expectRefusal("\(place), \(size) bytes")
    }

    /// The file is cut right after a save, within a tick of the file system's clock.
    @Test func betweenSavesInQuickSuccession() throws {
        for number in 0..<20 { try insert(number % 3 + 1) }
        #expect(truncate(store.url.path, 0) == 0)
        expectRefusal("quick")
    }

    @Test func withoutALog() throws {
        try store.reopen(options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        try insert(200)
        #expect(truncate(store.url.path, 0) == 0)
        store.context.insert("Note", ["name": "late"])
        #expect(throws: NSError.self) { try store.context.save() }
    }

    /// What makes a file shorter, or leaves it shorter than the database, and is right.
    @Test func whatSQLiteItselfDoesToTheFile() throws {
        let second = try FormatStore.second(on: store)
        for round in 0..<3 {
            try insert(300)
            if round > 0 { try checkpoint() }
            try second.performAndWait {
                for note in try second.fetchAll("Note").dropFirst(5) { second.delete(note) }
                try second.save()
            }
            let before = size
            try store.run("VACUUM")
            if round > 1 { try checkpoint(round == 2 ? "PASSIVE" : "TRUNCATE") }
            if round > 1 { #expect(size < before) }
            // The database grows again in the log while the file is short.
            try insert(100, in: second)
            try insert(100)
            store.context.reset()
            second.reset()
        }
        try insert(1)
        #expect(try store.context.fetchAll("Note").count == 206)
        #expect(try store.problems() == [])
    }

    /// A store that is replaced by a smaller one while it is open.
    @Test func aStoreReplacedByASmallerOne() throws {
        let small = store.folder.file("Small.sqlite")
        try insert(1)
        try store.coordinator.replacePersistentStore(
            at: small, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        try insert(500)
        try checkpoint()
        try store.coordinator.replacePersistentStore(
            at: store.url, withPersistentStoreFrom: small, ofType: NSSQLiteStoreType)
        try checkpoint()
        store.context.reset()
        try insert(1)
        #expect(try store.context.fetchAll("Note").count == 2)
    }
}
