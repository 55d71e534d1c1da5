import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct StoreReaderTests {
    @Test func aStoreInAFolderThatCannotBeWrittenIsRead() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(10, into: writer)
        let copy = try files.copy()
        let before = try copy.contents()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: copy.folder.url.path)
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy.folder.url.path)
        }
        let count = try withoutPrivileges {
            let reader = try StoreReader(copy.url)
            let count = try reader.database.integer("SELECT count(*) FROM ZPERSON")
            try reader.requireUnchanged()
            return count
        }
        #expect(count == 110)
        #expect(try copy.contents() == before)
    }

    @Test(.enabled(if: ImageTestFiles.hasPython)) func aStoreThatAnotherProcessWritesIsReadInOneState() throws {
        let files = try ImageTestFiles()
        try files.write()
        let holder = try ImageTestHolder(
            files.path, ["INSERT INTO ZPERSON (Z_ENT, ZNAME) VALUES (1, 'a')", "PRAGMA wal_autocheckpoint = 0"])
        let before = try files.contents()
        let reader = try StoreReader(files.url)
        #expect(reader.condition == .inUse)
        #expect(reader.image == nil)
        let first = try reader.database.integer("SELECT count(*) FROM ZPERSON")
        #expect(first == 101)
        #expect(try files.contents() == before)
        try holder.run("INSERT INTO ZPERSON (Z_ENT, ZNAME) VALUES (1, 'b')")
        let second = try reader.database.integer("SELECT count(*) FROM ZPERSON")
        #expect(second == 101)
        try reader.requireUnchanged()
        let later = try StoreReader(files.url).database.integer("SELECT count(*) FROM ZPERSON")
        #expect(later == 102)
    }

    @Test(.enabled(if: ImageTestFiles.hasShell)) func aCheckpointDuringTheReadingIsDetected() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(10, into: writer)
        let copy = try files.copy()
        let reader = try StoreReader(copy.url)
        #expect(reader.condition == .readable)
        try reader.requireUnchanged()
        _ = try copy.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        let error = #expect(throws: StoreToolError.self) { try reader.requireUnchanged() }
        #expect(error?.code == .changed)
    }

    @Test func aStoreThatCannotBeReadIsAnErrorWithAdvice() throws {
        let files = try ImageTestFiles("Gone.sqlite")
        let missing = #expect(throws: StoreToolError.self) { try StoreReader(files.url) }
        #expect(missing?.code == .noFile)
        #expect(missing?.message == "The store Gone.sqlite does not exist.")
        #expect(missing?.advice == "Check the path.")
        try files.replace(Array("Hello".utf8))
        let text = #expect(throws: StoreToolError.self) { try StoreReader(files.url) }
        #expect(text?.code == .notAStore)
        #expect(text?.message == "The store Gone.sqlite is not an SQLite database; it looks like a text file.")
    }
}
