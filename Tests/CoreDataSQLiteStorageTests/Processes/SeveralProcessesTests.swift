import CoreDataSQLiteStorage
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Several processes on one store at the same time, and processes whose disk fails.
@Suite
struct SeveralProcessesTests {
    private func makeLedger(_ folder: TemporaryFolder) throws -> URL {
        let store = folder.file("Ledger.sqlite")
        // One round, which also makes the accounts.
        #expect(try Worker("crash", store, ["wal", "100000"]).finish())
        let connection = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
        try connection.execute("UPDATE ZACCOUNT SET ZBALANCE = 0")
        return store
    }

    @Test func noUpdateIsLost() throws {
        let folder = try TemporaryFolder()
        let store = try makeLedger(folder)
        let flag = folder.file("stop")
        let watcher = try Worker("watch", store, [flag.path])
        try watcher.wait(for: "ready")
        let workers = try (0..<3).map { _ in try Worker("transfer", store, ["40"]) }
        for worker in workers { #expect(worker.finish(), "\(worker.lines)") }
        try Data().write(to: flag)
        #expect(watcher.finish())
        #expect(!watcher.lines.contains { $0.hasPrefix("wrong") })
        #expect(watcher.last("done") ?? 0 > 0)
        let connection = try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1)
        #expect(try connection.integer("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'") == -120)
        #expect(try connection.integer("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'B'") == 120)
        #expect(try connection.integer("SELECT COUNT(*) FROM ZENTRY WHERE ZROUND IS NULL") == 120)
        let model = try NSManagedObjectModel(cachedInStoreAt: store)
        #expect(try StoreAuditor(store, model.layouts).problems() == [])
    }

    @Test func aBusyFileIsWaitedForThenReported() throws {
        let folder = try TemporaryFolder()
        let store = try makeLedger(folder)
        let holder = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
        try holder.execute("BEGIN IMMEDIATE")
        let worker = try Worker("wait", store)
        // The new object is still to be saved after the failure.
        try worker.wait(for: "error \(NSPersistentStoreTimeoutError) 1")
        try holder.execute("COMMIT")
        #expect(worker.finish())
        #expect(worker.lines.last == "done")
        let connection = try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1)
        #expect(try connection.integer("SELECT COUNT(*) FROM ZLABEL WHERE ZWORD = 'late'") == 1)
    }

    /// Each write of a save fails once, by turns with an I/O error and for lack of space.
    @Test(arguments: ["wal", "delete", "checkpoint"])
    func failingDisksLoseNothing(_ journal: String) throws {
        let folder = try TemporaryFolder()
        let store = folder.file("Ledger.sqlite")
        let worker = try Worker("faults", store, [journal])
        #expect(worker.finish(), "\(worker.lines.suffix(2))")
        let done = worker.lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(done.count > 1)
        #expect(!worker.lines.contains { $0.hasPrefix("lost") })
        let codes = Set(worker.lines.filter { $0.hasPrefix("error") })
        let expected = [CocoaError.fileWriteUnknown.rawValue, CocoaError.fileWriteOutOfSpace.rawValue]
        #expect(codes == Set(expected.map { "error \($0)" }))
        #expect(done[1] > 15, "Too few writes failed: \(done)")
        let audit = try LedgerAudit(store)
        #expect(try audit.rounds == done[0])
        #expect(try audit.problems() == [])
    }

    @Test func aLimitOnTheFilesSizeIsReported() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker("limit", folder.file("Ledger.sqlite"))
        #expect(worker.finish())
        #expect(worker.lines == ["error \(CocoaError.fileWriteUnknown.rawValue) 200", "done 200"])
    }

    /// A process that looks into a store in a folder it may not write to.
    ///
    /// - Returns: the lines it reports, the first about reading.
    private func peek(into store: URL) throws -> [String] {
        let manager = FileManager.default
        let folder = store.deletingLastPathComponent()
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: store.path)
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let worker = try Worker("peek", store)
        #expect(worker.finish(), "\(worker.lines)")
        // A save fails and keeps its object; no store is made.
        #expect(worker.lines.filter { $0.hasPrefix("error") && $0.hasSuffix(" 1") }.count == 2, "\(worker.lines)")
        #expect(!worker.lines.contains("saved") && !worker.lines.contains("made"))
        return worker.lines
    }

    @Test func aFolderThatMayNotBeWritten() throws {
        let folder = try TemporaryFolder()
        let store = try makeLedger(folder)
        try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
            .execute("PRAGMA journal_mode = DELETE")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        let before = try Data(contentsOf: store)
        #expect(try peek(into: store).first == "read 3")
        #expect(try Data(contentsOf: store) == before)
    }

    /// In write-ahead mode readers need the index that they share with writers. Without it, reading what others are writing
    /// would give rows of several moments, with no error.
    @Test func aFolderThatMayNotBeWrittenWithoutAnIndex() throws {
        let folder = try TemporaryFolder()
        let store = try makeLedger(folder)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        let line = try #require(try peek(into: store).first)
        #expect(line.hasPrefix("unread \(CocoaError.fileReadNoPermission.rawValue) "), "\(line)")
        // The advice names what is missing.
        #expect(line.contains("write to the folder \(folder.url.path)"), "\(line)")
    }

    /// While a process that may write has the store open, others read what it commits.
    @Test func aFolderThatMayNotBeWrittenBesideAWriter() throws {
        let folder = try TemporaryFolder()
        let store = try makeLedger(folder)
        let writer = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: 1)
        let insertion =
            "INSERT INTO ZLABEL (Z_PK, Z_ENT, Z_OPT, ZWORD) SELECT MAX(Z_PK) + 1, Z_ENT, 1, 'more' FROM ZLABEL"
        for count in [4, 5] {
            try writer.execute(insertion)
            #expect(try peek(into: store).first == "read \(count)")
        }
    }

    /// SQLite goes without locks only where no process can write, and nothing beside the file is left out.
    @Test func accessWithoutLocks() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Some.sqlite").path
        func isImmutable(onReadOnly: Bool) -> Bool {
            if case .immutable = SQLiteAccess.reading(path, isOnReadOnlyFileSystem: onReadOnly) { return true }
            return false
        }
        #expect(isImmutable(onReadOnly: true))
        #expect(!isImmutable(onReadOnly: false))
        #expect(!StoreFiles.isOnReadOnlyFileSystem(folder.url.path))
        try Data().write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(isImmutable(onReadOnly: true))
        try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(!isImmutable(onReadOnly: true))
        try Data().write(to: URL(fileURLWithPath: path + "-wal"))
        try Data().write(to: URL(fileURLWithPath: path + "-shm"))
        #expect(!isImmutable(onReadOnly: true))
    }
}
