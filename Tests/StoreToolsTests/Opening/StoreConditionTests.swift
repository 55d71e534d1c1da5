import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct StoreConditionTests {
    @Test func aHealthyStoreIsReadable() throws {
        for journal in ["WAL", "DELETE"] {
            let files = try ImageTestFiles()
            try files.write(journal: journal)
            #expect(StoreCondition.of(files.url) == .readable)
            #expect(StoreCondition.of(files.url).advice == nil)
        }
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment)) func everyStoreOfApplesIsReadable() throws {
        for sample in RealStores.all {
            let copy = try RealStores.copy(of: sample)
            defer { copy.remove() }
            #expect(StoreCondition.of(copy.url) == .readable, "\(sample.store)")
        }
    }

    @Test func aMissingAndAnEmptyFileAreToldApart() throws {
        let files = try ImageTestFiles()
        #expect(StoreCondition.of(files.url) == .missing)
        try files.replace([])
        #expect(StoreCondition.of(files.url) == .empty)
        #expect(StoreCondition.of(files.folder.url) == .notSQLite(kind: "a folder or device"))
    }

    @Test func aStoreWithItsContentInALostLogIsToldApart() throws {
        let files = try ImageTestFiles()
        let writer = try files.write()
        let (alone, complete) = try withExtendedLifetime(writer) { try (files.copy([""]), files.copy()) }
        #expect(StoreCondition.of(alone.url) == .logMissing)
        #expect(StoreCondition.of(complete.url) == .readable)
        try complete.replace("-wal", [])
        #expect(StoreCondition.of(complete.url) == .logMissing)
    }

    @Test func anIndexTellsOfALostLog() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(10, into: writer)
        let copy = try files.copy(["", "-shm"])
        #expect(StoreCondition.of(copy.url) == .logMissing)
        try writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        let complete = try files.copy(["", "-shm"])
        #expect(StoreCondition.of(complete.url) == .readable)
    }

    @Test func aLogOfAnotherStoreIsToldApart() throws {
        for (rows, otherRows) in [(100, 100), (100, 3000), (3000, 100)] {
            let files = try ImageTestFiles(), other = try ImageTestFiles()
            try files.write(rows: rows)
            try other.write(rows: otherRows)
            let writer = try other.connection()
            try ImageTestFiles.insert(300, into: writer)
            try writer.execute("UPDATE Z_METADATA SET Z_PLIST = x'6263'")
            let log = try other.copy().bytes("-wal")
            try files.replace("-wal", log)
            #expect(StoreCondition.of(files.url) == .logOfAnotherStore, "\(rows) \(otherRows)")
            #expect(try FileImage(files.path).log == .foreign)
        }
    }

    @Test func theLogOfAStoreWithTheSamePagesIsToldApartByItsRows() throws {
        func prepared(_ name: String) throws -> ImageTestFiles {
            let files = try ImageTestFiles()
            try files.write().execute("UPDATE ZPERSON SET ZNAME = '\(name) ' || Z_PK")
            return files
        }
        let files = try prepared("Ada"), other = try prepared("Bob")
        let writer = try other.connection()
        try writer.execute("UPDATE ZPERSON SET ZNAME = 'Bo 7', Z_OPT = 2 WHERE Z_PK = 7")
        let unclosed = try withExtendedLifetime(writer) { try other.copy() }
        #expect(StoreCondition.of(unclosed.url) == .readable)
        try files.replace("-wal", unclosed.bytes("-wal"))
        #expect(StoreCondition.of(files.url) == .logOfAnotherStore)
    }

    @Test func aLogOfAnOlderStateIsToldApart() throws {
        let files = try ImageTestFiles()
        try files.write(rows: 100)
        do {
            let writer = try files.connection()
            try ImageTestFiles.insert(300, into: writer)
        }
        let old = try files.copy()
        let writer = try old.connection()
        try ImageTestFiles.insert(300, into: writer)
        let log = try old.copy().bytes("-wal")
        for _ in 0..<3 {
            let writer = try files.connection()
            try ImageTestFiles.insert(200, into: writer)
        }
        try files.replace("-wal", log)
        #expect(StoreCondition.of(files.url) == .logOfAnotherStore)
    }

    @Test func aDamagedLogIsToldApart() throws {
        let files = try ImageTestFiles()
        try files.write()
        try files.replace("-wal", [UInt8](repeating: 7, count: 5000))
        #expect(StoreCondition.of(files.url) == .logDamaged)
    }

    @Test func aStoreOpenInThisProcessIsInUse() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        #expect(StoreCondition.of(files.url) == .inUse)
        try ImageTestFiles.insert(1, into: writer)
        let reader = try StoreReader(files.url)
        let count = try reader.database.integer("SELECT count(*) FROM ZPERSON")
        #expect(count == 101)
        #expect(reader.image == nil)
    }

    @Test(.enabled(if: ImageTestFiles.hasPython)) func locksOfAnotherProcessAreToldApart() throws {
        let files = try ImageTestFiles()
        try files.write(journal: "DELETE")
        do {
            let holder = try ImageTestHolder(files.path, ["BEGIN EXCLUSIVE"])
            #expect(StoreCondition.of(files.url) == .locked)
            #expect(FileLocks.holders(of: files.path)?.process == holder.identifier)
            let error = #expect(throws: StoreToolError.self) { try StoreReader(files.url) }
            #expect(error?.message.contains("process \(holder.identifier)") == true)
        }
        do {
            let holder = try ImageTestHolder(files.path, ["BEGIN IMMEDIATE"])
            #expect(StoreCondition.of(files.url) == .inUse)
            let count = try StoreReader(files.url).database.integer("SELECT count(*) FROM ZPERSON")
            #expect(count == 100)
            holder.kill()
        }
        #expect(StoreCondition.of(files.url) == .readable)
    }

    @Test func filesWithoutPermissionAreToldApart() throws {
        for suffix in ["", "-wal"] {
            let files = try ImageTestFiles()
            try files.write()
            if !suffix.isEmpty { try files.replace(suffix, []) }
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: files.path + suffix)
            let condition = withoutPrivileges { StoreCondition.of(files.url) }
            #expect(condition == .noPermission, "\(suffix)")
        }
    }

    @Test func aCopyCutShortIsToldApart() throws {
        let files = try ImageTestFiles()
        try files.write(rows: 1000)
        let bytes = try files.bytes()
        for count in [bytes.count - 1, bytes.count / 2, 4096, 700] {
            try files.replace(bytes.prefix(count))
            let expected = StoreCondition.cutShort(expectedBytes: Int64(bytes.count), foundBytes: Int64(count))
            #expect(StoreCondition.of(files.url) == expected)
        }
        // What is there can still be read.
        try files.replace(bytes.prefix(bytes.count / 2))
        let uuid = try Database(FileImage(files.path)).text("SELECT Z_UUID FROM Z_METADATA")
        #expect(uuid != nil)
    }

    @Test(arguments: [
        ("bplist00\u{1}", "a binary property list"), ("<?xml version=\"1.0\"?><a/>", "an XML file"),
        ("PK\u{3}\u{4}aaaaaaa", "a zip archive"), ("\n<!doctype HTML><html>", "an HTML page"),
        ("{\"a\": 1}", "a JSON file"),
        ("Grüße an alle", "a text file"),
    ])
    func otherFilesAreNamed(_ content: String, _ kind: String) throws {
        let files = try ImageTestFiles()
        try files.replace(Array(content.utf8))
        #expect(StoreCondition.of(files.url) == .notSQLite(kind: kind))
    }

    @Test func binaryFilesAreNamed() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(10, into: writer)
        let log = try files.copy().bytes("-wal")
        let other = try ImageTestFiles()
        try other.replace([0x1f, 0x8b] + [UInt8](0...200))
        #expect(StoreCondition.of(other.url) == .notSQLite(kind: "a gzip archive"))
        try other.replace([UInt8](repeating: 0, count: 8192))
        #expect(StoreCondition.of(other.url) == .notSQLite(kind: "a file of zeros"))
        try other.replace(log)
        #expect(StoreCondition.of(other.url) == .notSQLite(kind: "the log of a store (-wal)"))
    }

    @Test func encryptedFilesAreToldApart() throws {
        let files = try ImageTestFiles()
        var random = SeededGenerator(seed: 7)
        for count in [4096, 40_960] {
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try files.replace(noise)
            #expect(StoreCondition.of(files.url) == .encrypted)
        }
        // SQLCipher may leave the first 32 bytes plain.
        let plain = try ImageTestFiles()
        try plain.write()
        var bytes = try plain.bytes()
        for index in 32..<bytes.count { bytes[index] = .random(in: 0...255, using: &random) }
        for index in 44..<48 { bytes[index] = index == 47 ? 4 : 0 }
        bytes[100] = 77
        try files.replace(bytes)
        #expect(StoreCondition.of(files.url) == .encrypted)
    }

    @Test func otherDatabasesAndNewerFormatsAreToldApart() throws {
        let files = try ImageTestFiles()
        do {
            let database = try files.connection()
            try database.execute("CREATE TABLE recipes (id INTEGER PRIMARY KEY, name TEXT)")
        }
        #expect(StoreCondition.of(files.url) == .notAStore)
        let store = try ImageTestFiles()
        try store.write(journal: "DELETE")
        do {
            let database = try store.connection()
            try database.execute("UPDATE Z_METADATA SET Z_VERSION = 2")
        }
        #expect(StoreCondition.of(store.url) == .tooNew(version: 2))
        var bytes = try store.bytes()
        bytes[19] = 3
        try store.replace(bytes)
        #expect(StoreCondition.of(store.url) == .tooNew(version: 3))
    }

    @Test func everyConditionHasOneSentenceAndAdvice() {
        let conditions: [StoreCondition] = [
            .missing, .empty, .logMissing, .logOfAnotherStore, .logDamaged, .inUse, .locked, .protected, .noPermission,
            .cutShort(expectedBytes: 2, foundBytes: 1), .headerDamaged, .notSQLite(kind: "a text file"),
            .notSQLite(kind: nil), .encrypted, .notAStore, .tooNew(version: 2),
        ]
        #expect(Set(conditions.map(\.message)).count == conditions.count)
        for condition in conditions {
            #expect(condition.message.hasSuffix("."))
            #expect(condition.advice?.hasSuffix(".") == true)
        }
    }
}
