import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import Testing

@testable import StoreTools

/// Reading through SQLite's VFS, as on Apple's platforms.
@Suite struct SQLiteFileTests {
    private func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SourceFile.$readsThroughSQLite.withValue(true, operation: body)
    }

    @Test func theBytesAreThoseOfTheFile() throws {
        let files = try ImageTestFiles()
        try files.write(rows: 500)
        let bytes = try files.bytes()
        let file = try reading { try SourceFile(database: files.path) }
        if case .descriptor = file.access { Issue.record("The file is not read through SQLite.") }
        #expect(file.size == Int64(bytes.count))
        let end = bytes.count - 10
        for (offset, count) in [(0, bytes.count), (0, 100), (4095, 2), (end, 10), (end, 4096)] {
            let expected = bytes[offset..<min(offset + count, bytes.count)]
            #expect(try file.bytes(at: Int64(offset), count: count).elementsEqual(expected), "\(offset) \(count)")
        }
        #expect(try file.bytes(at: Int64(bytes.count), count: 10).isEmpty)
        #expect(try file.bytes(at: 1 << 40, count: 10).isEmpty)
    }

    @Test func filesThatCannotBeOpenedAreToldApart() throws {
        let files = try ImageTestFiles()
        #expect(reading { StoreCondition.of(files.url) } == .missing)
        #expect(reading { StoreCondition.of(files.folder.url) } == .notSQLite(kind: "a folder or device"))
        try files.replace([])
        #expect(reading { StoreCondition.of(files.url) } == .empty)
        try files.write()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: files.path)
        #expect(reading { withoutPrivileges { StoreCondition.of(files.url) } } == .noPermission)
    }

    @Test func storesAreReadWithTheirLogs() throws {
        let files = try ImageTestFiles()
        let writer = try files.write()
        let copy = try withExtendedLifetime(writer) { try files.copy() }
        try reading {
            #expect(StoreCondition.of(copy.url) == .readable)
            let reader = try StoreReader(copy.url)
            #expect(try reader.database.integer("SELECT count(*) FROM ZPERSON") == 100)
            try reader.requireUnchanged()
        }
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment)) func everyStoreOfApplesIsReadable() throws {
        for sample in RealStores.all {
            let copy = try RealStores.copy(of: sample)
            defer { copy.remove() }
            #expect(reading { StoreCondition.of(copy.url) } == .readable, "\(sample.store)")
        }
    }

    /// The connection is one that `OpenDatabases` does not know of, as those of Apple's Core Data.
    @Test(.enabled(if: ImageTestFiles.hasShell)) func locksOfUnknownConnectionsOfThisProcessStay() throws {
        let files = try ImageTestFiles()
        try files.write(journal: "DELETE")
        var connection: OpaquePointer?
        try #require(sqlite3_open_v2(files.path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { _ = sqlite3_close_v2(connection) }
        try #require(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        try reading {
            #expect(StoreCondition.of(files.url) == .inUse)
            let image = try FileImage(files.path)
            #expect(try Database(image).integer("SELECT count(*) FROM ZPERSON") == 100)
            #expect(!image.hasChanged())
        }
        let attempt = "BEGIN IMMEDIATE; SELECT 'free'"
        #expect(try files.shell(attempt) == "")
        // A descriptor that SQLite does not know of does release them.
        close(open(files.path, O_RDONLY))
        #expect(try files.shell(attempt) == "free")
    }

    @Test func aStoreThatAnUnknownConnectionHasOpenIsNotExchanged() throws {
        let files = try ImageTestFiles()
        try files.write()
        #expect(!SQLiteFile.isInUse(files.path))
        do {
            var connection: OpaquePointer?
            try #require(sqlite3_open_v2(files.path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
            defer { _ = sqlite3_close_v2(connection) }
            try #require(sqlite3_exec(connection, "SELECT * FROM ZPERSON", nil, nil, nil) == SQLITE_OK)
            #expect(SQLiteFile.isInUse(files.path))
            #expect(sqlite3_exec(connection, "DELETE FROM ZPERSON", nil, nil, nil) == SQLITE_OK)
        }
        #expect(!SQLiteFile.isInUse(files.path))
    }

    @Test(.enabled(if: ImageTestFiles.hasPython)) func locksOfAnotherProcessAreToldApart() throws {
        let files = try ImageTestFiles()
        try files.write(journal: "DELETE")
        do {
            let holder = try ImageTestHolder(files.path, ["BEGIN EXCLUSIVE"])
            #expect(reading { StoreCondition.of(files.url) } == .locked)
            holder.kill()
        }
        do {
            let holder = try ImageTestHolder(files.path, ["BEGIN IMMEDIATE"])
            #expect(reading { StoreCondition.of(files.url) } == .inUse)
            holder.kill()
        }
        #expect(reading { StoreCondition.of(files.url) } == .readable)
    }
}
