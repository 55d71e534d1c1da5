import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import StoreTools
import Testing

@Suite struct FileImageTests {
    /// A copy of the files of a store with two commits in its log, whose writer has not closed it.
    private func unclosed() throws -> ImageTestFiles {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(10, into: writer)
        try ImageTestFiles.insert(500, into: writer)
        return try withExtendedLifetime(writer) { try files.copy() }
    }

    private func count(_ image: FileImage) throws -> Int64? {
        try Database(image).integer("SELECT count(*) FROM ZPERSON")
    }

    @Test func rowsInTheLogAreSeenAndIgnoredOnRequest() throws {
        let files = try unclosed()
        let before = try files.contents()
        let image = try FileImage(files.path)
        let count = try count(image), old = try self.count(FileImage(files.path, ignoresLog: true))
        #expect(count == 610)
        #expect(old == 100)
        guard case .applied = image.log else {
            Issue.record("\(image.log)")
            return
        }
        let check = try Database(image).text("PRAGMA integrity_check")
        #expect(check == "ok")
        #expect(try files.contents() == before)
    }

    @Test func everyPageEqualsTheOneAfterACheckpoint() throws {
        let files = try unclosed()
        let copy = try files.copy()
        try copy.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let expected = try copy.bytes()
        try #require(!expected.isEmpty && expected.count % 4096 == 0)
        let image = try FileImage(files.path)
        #expect(image.pageCount == expected.count / 4096)
        for page in 1...expected.count / 4096 {
            let range = (page - 1) * image.pageSize..<page * image.pageSize
            let isSame = try image.withPage(page) { $0.elementsEqual(expected[range]) }
            #expect(isSame, "page \(page)")
        }
    }

    @Test func pagesMayBeReadWhileOthersAreInUse() throws {
        let files = try unclosed()
        let image = try FileImage(files.path)
        try image.withPage(2) { second in
            let copy = Array(second)
            try image.withPage(3) { third in #expect(!third.elementsEqual(copy)) }
            #expect(second.elementsEqual(copy))
        }
    }

    @Test(.enabled(if: ImageTestFiles.hasShell)) func aTornLogIsReadUpToTheLastCommit() throws {
        let files = try unclosed()
        let log = try files.bytes("-wal")
        for cut in stride(from: 40, to: log.count, by: max(1, log.count / 12)) {
            let copy = try files.copy()
            try copy.replace("-wal", log.prefix(cut))
            let image = try FileImage(copy.path)
            let found = try count(image)
            let expected = try copy.shell("SELECT count(*) FROM ZPERSON")
            #expect(found == Int64(expected), "cut at \(cut)")
            #expect([100, 110].contains(found))
            if image.log.frameCount > 0 { #expect(image.log == .torn(frames: image.log.frameCount)) }
        }
    }

    @Test(.enabled(if: ImageTestFiles.hasShell)) func aDamagedFrameEndsTheLog() throws {
        let files = try unclosed()
        let log = try files.bytes("-wal")
        for place in stride(from: 60, to: log.count, by: max(1, log.count / 12)) {
            let copy = try files.copy()
            var damaged = log
            damaged[place] ^= 0x55
            try copy.replace("-wal", damaged)
            let found = try count(FileImage(copy.path))
            let expected = try copy.shell("SELECT count(*) FROM ZPERSON")
            #expect(found == Int64(expected), "byte \(place)")
        }
    }

    @Test func aLogAfterACheckpointWithoutTruncationAddsNothing() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        try ImageTestFiles.insert(500, into: writer)
        try writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        let copy = try files.copy()
        let count = try count(FileImage(copy.path)), alone = try self.count(FileImage(copy.path, ignoresLog: true))
        #expect(count == 600)
        #expect(alone == 600)
        try ImageTestFiles.insert(1, into: writer)
        let later = try files.copy()
        let next = try self.count(FileImage(later.path))
        #expect(next == 601)
    }

    @Test func aChangeOfTheFilesIsDetected() throws {
        let files = try unclosed()
        let image = try FileImage(files.path)
        #expect(!image.hasChanged())
        let other = try Database(files.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(image.hasChanged())
    }

    @Test(arguments: ["page_size = 512", "page_size = 65536", "auto_vacuum = 2", "encoding = 'UTF-16le'"])
    func everyKindOfDatabaseIsRead(_ pragma: String) throws {
        let files = try ImageTestFiles()
        try files.write(rows: 2000, pragma: pragma)
        let writer = try files.connection()
        try writer.execute("DELETE FROM ZPERSON WHERE Z_PK % 2 = 0")
        let copy = try withExtendedLifetime(writer) { try files.copy() }
        let image = try FileImage(copy.path)
        let database = try Database(image)
        let check = try database.text("PRAGMA integrity_check"), count = try count(image)
        #expect(check == "ok")
        #expect(count == 1000)
        // Sorting that does not fit into memory uses a temporary file.
        try database.execute("PRAGMA cache_size = 1")
        let sorted = try database.integer(
            "SELECT count(*) FROM (SELECT ZNAME FROM ZPERSON ORDER BY ZNAME || random() LIMIT 9999)")
        #expect(sorted == 1000)
    }

    @Test func theLogIsBesideTheFileThatALinkLeadsTo() throws {
        let files = try unclosed(), other = try TemporaryFolder()
        let link = other.file("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: files.url)
        let count = try count(FileImage(link.path))
        #expect(count == 610)
        let reader = try StoreReader(link)
        try reader.requireUnchanged()
    }

    @Test func anImageCannotBeWritten() throws {
        let files = try unclosed()
        let database = try Database(FileImage(files.path))
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM ZPERSON") }
    }

    @Test func aStoreThatIsOpenInThisProcessIsRefused() throws {
        let files = try ImageTestFiles()
        try files.write()
        let writer = try files.connection()
        let error = #expect(throws: StoreToolError.self) { try FileImage(files.path) }
        #expect(error?.code == .unavailable)
        _ = try writer.text("PRAGMA journal_mode")
    }

    @Test func aFileOfMoreThan4GBIsRead() throws {
        let files = try ImageTestFiles()
        try files.write(journal: "DELETE")
        // A sparse file whose second half is not used, but counts.
        var header = try files.bytes()
        let pages = 1_100_000
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            header[28 + index] = UInt8(truncatingIfNeeded: pages >> shift)
        }
        try files.replace(header)
        let handle = try FileHandle(forUpdating: files.url)
        try handle.truncate(atOffset: UInt64(pages) * 4096)
        try handle.seek(toOffset: UInt64(pages - 1) * 4096)
        try handle.write(contentsOf: Data([7, 8, 9]))
        try handle.close()
        let image = try FileImage(files.path)
        #expect(image.pageCount == pages)
        try image.withPage(pages) { #expect(Array($0.prefix(4)) == [7, 8, 9, 0]) }
        let count = try count(image)
        #expect(count == 100)
    }

    @Test func aFileWithADamagedHeaderIsReadWithItsPageSize() throws {
        for size in [1024, 4096, 16_384] {
            let files = try ImageTestFiles()
            try files.write(rows: 5000, journal: "DELETE", pragma: "page_size = \(size)")
            var bytes = try files.bytes()
            bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
            try files.replace(bytes)
            let image = try FileImage(damaged: files.path)
            #expect(image.pageSize == size)
            #expect(image.pageCount == bytes.count / size)
            #expect(StoreCondition.of(files.url) == .headerDamaged)
        }
    }

    @Test(.enabled(if: ImageTestFiles.hasPython)) func aHotJournalIsAppliedInMemory() throws {
        let files = try ImageTestFiles()
        try files.write(rows: 3000, journal: "DELETE")
        let sums = "SELECT count(*) || ' ' || sum(Z_OPT) FROM ZPERSON"
        let expected = try Database(files.path, flags: SQLITE_OPEN_READONLY).text(sums)
        // A small cache makes SQLite write pages before the commit.
        let holder = try ImageTestHolder(
            files.path,
            ["PRAGMA cache_size = 5", "BEGIN", "UPDATE ZPERSON SET Z_OPT = 9", "DELETE FROM ZPERSON WHERE Z_PK < 900"])
        #expect(StoreCondition.of(files.url) == .locked)
        holder.kill()
        let before = try files.contents()
        #expect(before.keys.contains("Store.sqlite-journal"))
        let image = try FileImage(files.path)
        #expect(image.restoredPageCount > 0)
        let database = try Database(image)
        let found = try database.text(sums), check = try database.text("PRAGMA integrity_check")
        #expect(found == expected)
        #expect(check == "ok")
        #expect(StoreCondition.of(files.url) == .readable)
        #expect(try files.contents() == before)
        // Without its journal the file has other rows: SQLite restores the same pages.
        let restored = try Database(files.path, flags: SQLITE_OPEN_READWRITE).text(sums)
        #expect(restored == expected)
    }

    @Test func hostileHeadersAndLogsAreReadOrRefused() throws {
        let files = try unclosed()
        let file = try files.bytes(), log = try files.bytes("-wal")
        var random = SeededGenerator(seed: 20)
        let copy = try files.copy()
        for _ in 0..<LongForm.choose(100, long: 5000) {
            var (newFile, newLog) = (file, log)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                newFile[Int.random(in: 0..<120, using: &random)] = .random(in: 0...255, using: &random)
                if Bool.random(using: &random) {
                    newLog[Int.random(in: 0..<80, using: &random)] = .random(in: 0...255, using: &random)
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                newFile.removeLast(Int.random(in: 0..<newFile.count, using: &random))
                newLog.removeLast(Int.random(in: 0..<newLog.count, using: &random))
            }
            try copy.replace(newFile)
            try copy.replace("-wal", newLog)
            let condition = StoreCondition.of(copy.url)
            #expect(!condition.message.isEmpty)
            let reader = try? StoreReader(copy.url)
            _ = try? reader?.database.text("PRAGMA integrity_check")
            let damaged = try FileImage(damaged: copy.path)
            try damaged.withPage(max(1, damaged.pageCount)) { #expect($0.count == damaged.pageSize) }
        }
    }
}
