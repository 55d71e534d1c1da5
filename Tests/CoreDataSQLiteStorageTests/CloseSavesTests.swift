import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Many small saves one after the other, with others at work on the file.
@Suite("Saves close together")
struct CloseSavesTests {
    let library: SQLiteLibrary

    init() throws { library = try SQLiteLibrary() }

    private func saveTag(_ word: String, _ context: NSManagedObjectContext) throws {
        context.insert("Tag", ["word": word])
        try context.save()
    }

    private func connection(busyTimeout: Double = 0) throws -> SQLiteConnection {
        try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: busyTimeout)
    }

    private var pool: ConnectionPool {
        get throws { try #require(library.store as? SQLiteStore).engine.pool }
    }

    /// A connection of its own stands for another process.
    @Test func noticeWhatOthersCommit() throws {
        let other = try connection(busyTimeout: 30)
        var tag: NSManagedObject?
        for number in 0..<60 {
            if number % 6 == 5 {
                try other.execute(
                    "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZWORD) SELECT Z_ENT, 1, 'other \(number)' FROM ZTAG LIMIT 1")
                try other.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM ZTAG) WHERE Z_NAME = 'Tag'")
            }
            tag = library.context.insert("Tag", ["word": "\(number)"])
            try library.context.save()
        }
        #expect(try other.integer("SELECT COUNT(*) FROM ZTAG") == 70)
        #expect(try other.integer("SELECT COUNT(DISTINCT Z_PK) FROM ZTAG") == 70)

        // A row changed by somebody else in between is a conflict as ever.
        for _ in 0..<8 { try saveTag("more", library.context) }
        try other.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1 WHERE ZWORD = '59'")
        tag?.setValue("mine", forKey: "word")
        #expect(throws: (any Error).self) { try library.context.save() }
        library.context.rollback()
        try saveTag("after", library.context)
    }

    @Test func waitForOthersWhoWrite() throws {
        for number in 0..<20 { try saveTag("\(number)", library.context) }
        let other = try connection(busyTimeout: 30)
        try other.executeScript("BEGIN IMMEDIATE; UPDATE ZTAG SET ZWORD = 'other' WHERE ZWORD = '3'")
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            try? other.execute("COMMIT")
        }
        try saveTag("waited", library.context)
        #expect(try library.fetch("Tag").count == 21)
        #expect(try connection().integer("SELECT COUNT(*) FROM ZTAG WHERE ZWORD = 'other'") == 1)
    }

    @Test func giveWayToOtherKindsOfWork() throws {
        let second = try library.makeSecondContext()
        for number in 0..<40 {
            try saveTag("\(number)", library.context)
            switch number % 10 {
            case 4: try pool.transaction { try $0.executeScript("CREATE TABLE T\(number) (A); DROP TABLE T\(number)") }
            case 6: try pool.write { try $0.execute("VACUUM") }
            case 8:
                let request = NSBatchDeleteRequest(
                    fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag"))
                try library.context.execute(request)
            case 9: try saveTag("second", second)
            default: break
            }
        }
        #expect(try connection().integer("SELECT COUNT(*) FROM ZTAG") == 2)
    }

    /// Where commits wait for the disk, a process that is killed leaves the last save in the log.
    @Test(.slow, arguments: ["FULL", "EXTRA"])
    func durableSavesAreInTheLog(synchronous: String) throws {
        let library = try SQLiteLibrary(options: [NSSQLitePragmasOption: ["synchronous": synchronous]])
        let copy = library.url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
        for number in 1...LongForm.choose(60, long: 150) {
            library.context.insert("Tag", ["word": "\(number)"])
            try library.context.save()
            guard number % 10 == 0 else { continue }
            let log = try Data(contentsOf: URL(fileURLWithPath: library.url.path + "-wal"))
            // What a killed process would leave.
            try Data(contentsOf: library.url).write(to: copy)
            try log.write(to: URL(fileURLWithPath: copy.path + "-wal"))
            try? FileManager.default.removeItem(atPath: copy.path + "-shm")
            let connection = try SQLiteConnection(path: copy.path, access: .readWrite, busyTimeout: 1)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(try connection.integer("SELECT COUNT(*) FROM ZTAG") == Int64(number))
        }
    }
}
