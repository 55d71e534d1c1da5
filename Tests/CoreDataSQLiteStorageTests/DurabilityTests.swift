import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Whatever happens to the process or the disk, a file holds all of a save or nothing of it.
@Suite
struct DurabilityTests {
    /// The files as a killed process would leave them: what was written so far, without any clean-up.
    private func crashCopy(of library: SQLiteLibrary) throws -> URL {
        let folder = library.url.deletingLastPathComponent().appendingPathComponent("crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appendingPathComponent("Library.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: library.url.path + suffix) {
            try FileManager.default.copyItem(atPath: library.url.path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    private func count(_ url: URL, _ table: String) throws -> Int64 {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        return try connection.integer("SELECT COUNT(*) FROM \(table)")
    }

    @Test func killedProcessesLeaveWholeSaves() throws {
        let library = try SQLiteLibrary()
        for round in 1...8 {
            for number in 0..<50 {
                library.context.insert(
                    "Book", ["title": "\(round)-\(number)", "cover": Data(repeating: 1, count: 500)])
            }
            try library.context.save()
            let copy = try crashCopy(of: library)
            #expect(try count(copy, "ZBOOK") == Int64(round * 50))
            #expect(try StoreAuditor(copy, library.model.layouts).problems() == [])
        }
    }

    @Test func unfinishedTransactionsVanish() throws {
        let library = try SQLiteLibrary()
        library.context.insert("Book", ["title": "kept"])
        try library.context.save()
        let connection = try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 1)
        // A small cache makes SQLite write pages before the commit.
        try connection.executeScript("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
        for key in 100..<600 {
            try connection.execute(
                "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZCOVER) VALUES (\(key), 3, 1, zeroblob(2000))")
        }
        let copy = try crashCopy(of: library)
        #expect(try count(copy, "ZBOOK") == 1)
        try connection.execute("ROLLBACK")
    }

    @Test func aFullDiskChangesNothing() throws {
        let library = try SQLiteLibrary(options: [NSSQLitePragmasOption: ["max_page_count": "60"]])
        library.context.insert("Tag", ["word": "kept"])
        try library.context.save()
        let big = library.context.insert("Book", ["cover": Data(repeating: 3, count: 1_000_000)])
        do {
            try library.context.save()
            Issue.record("More was saved than fits.")
        } catch let error as NSError {
            #expect(error.code == CocoaError.fileWriteOutOfSpace.rawValue)
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 13)
        }
        #expect(library.context.hasChanges)
        #expect(try count(library.url, "ZBOOK") == 0)
        big.setValue(Data([1]), forKey: "cover")
        try library.context.save()
        #expect(try count(library.url, "ZBOOK") == 1)
        #expect(try StoreAuditor(library.url, library.model.layouts).problems() == [])
    }

    @Test func readersDoNotWaitForTheWriter() throws {
        let library = try SQLiteLibrary()
        library.context.insert("Tag", ["word": "old"])
        try library.context.save()
        let writer = try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 1)
        try writer.executeScript("BEGIN IMMEDIATE; UPDATE ZTAG SET ZWORD = 'new'")
        #expect(try library.fetch("Tag", "word == 'old'").count == 1)
        try writer.execute("COMMIT")
        #expect(try library.fetch("Tag", "word == 'new'").count == 1)
    }

    @Test func manyThreadsReadAndWriteAtOnce() throws {
        let library = try SQLiteLibrary()
        let coordinator = library.coordinator
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.performAndWait {
                for round in 0..<20 {
                    context.insert("Book", ["pages": worker * 100 + round])
                    do {
                        try context.save()
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                        request.predicate = NSPredicate(format: "pages == %d", worker * 100 + round)
                        if try context.fetch(request).count != 1 { Issue.record("A saved object was not found.") }
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        #expect(try count(library.url, "ZBOOK") == 160)
        #expect(try StoreAuditor(library.url, library.model.layouts).problems() == [])
    }
}
