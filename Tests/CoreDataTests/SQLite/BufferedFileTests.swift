import CCoreDataSQLite
import CoreData
import Foundation
import Synchronization
import Testing

@testable import class CoreData.SQLiteConnection

/// Files are read several pages at a time while SQLite goes through them in order. Nobody may see that but by the clock.
@Suite("Reading files ahead")
struct BufferedFileTests {
    private static let page = 4096

    /// A file as a connection has it open: every byte of a page is the page's number.
    private struct OpenFile {
        let folder: TemporaryFolder
        let url: URL
        let connection: SQLiteConnection
        let file: UnsafeMutablePointer<sqlite3_file>
        var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

        init(pages: Int, odd: Int = 0) throws {
            folder = try TemporaryFolder()
            url = folder.file("pages")
            let bytes = (0..<pages).flatMap { [UInt8](repeating: UInt8($0 & 0xFF), count: page) }
            try Data(bytes + [UInt8](repeating: 0xEE, count: odd)).write(to: url)
            connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
            var file: UnsafeMutablePointer<sqlite3_file>?
            _ = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
            self.file = try #require(file)
        }

        /// The bytes of a page, all of which must be the same; nil for a page that is not all there.
        func read(_ number: Int) -> UInt8? {
            var bytes = [UInt8](repeating: 0xFF, count: page)
            let result = methods.xRead(file, &bytes, Int32(page), Int64(number * page))
            #expect(result == SQLITE_OK || result == 522, "522 is SQLITE_IOERR_SHORT_READ")
            #expect(result != SQLITE_OK || bytes.allSatisfy { $0 == bytes[0] })
            return result == SQLITE_OK ? bytes[0] : nil
        }

        /// Fills a page, as another process would.
        func overwrite(_ number: Int, with byte: UInt8) throws {
            let handle = try FileHandle(forUpdating: url)
            try handle.seek(toOffset: UInt64(number * page))
            try handle.write(contentsOf: Data(repeating: byte, count: page))
            try handle.close()
        }
    }

    // MARK: One file

    @Test func givesThePagesOfTheFileInAnyOrder() throws {
        let file = try OpenFile(pages: 200)
        for number in 0..<200 { #expect(file.read(number) == UInt8(number)) }
        // With pages between, backwards, far away, and again.
        for number in stride(from: 0, to: 200, by: 2) { #expect(file.read(number) == UInt8(number)) }
        for number in (0..<200).reversed() { #expect(file.read(number) == UInt8(number)) }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let start = Int.random(in: 0..<200, using: &random)
            for number in start..<min(200, start + Int.random(in: 1...40, using: &random)) {
                #expect(file.read(number) == UInt8(number))
            }
        }
    }

    @Test func readsRequestsOfOtherLengths() throws {
        let file = try OpenFile(pages: 40)
        for number in 0..<40 {
            #expect(file.read(number) == UInt8(number))
            // As the head of the file is looked at, and across two pages.
            var bytes = [UInt8](repeating: 0xFF, count: 16)
            #expect(file.methods.xRead(file.file, &bytes, 16, Int64(number * Self.page + 24)) == SQLITE_OK)
            #expect(bytes.allSatisfy { $0 == UInt8(number) })
            guard number < 39 else { break }
            #expect(file.methods.xRead(file.file, &bytes, 16, Int64((number + 1) * Self.page - 8)) == SQLITE_OK)
            #expect(
                bytes == [UInt8](repeating: UInt8(number), count: 8) + [UInt8](repeating: UInt8(number + 1), count: 8))
        }
    }

    /// What SQLite is told behind the end of a file, and on a page that is not all there, is what the system tells.
    @Test(arguments: [0, 100]) func endsWhereTheFileEnds(odd: Int) throws {
        let file = try OpenFile(pages: 21, odd: odd)
        for number in 0..<21 { #expect(file.read(number) == UInt8(number)) }
        #expect(file.read(21) == nil)
        #expect(file.read(22) == nil)
        #expect(file.read(20) == 20)
    }

    /// Each of SQLite's calls that may begin or end a read, or change the file, has the next one look at the file again.
    @Test(arguments: [
        "lock", "unlock", "write", "truncate", "index lock", "index map", "barrier", "control",
    ])
    func forgetsWhatMayHaveChanged(call: String) throws {
        let file = try OpenFile(pages: 64)
        let methods = file.methods
        for number in 0..<10 { #expect(file.read(number) == UInt8(number)) }
        try file.overwrite(11, with: 0xAA)
        // That it is not seen yet shows that page 11 was read ahead.
        try #require(file.read(11) == 11)
        switch call {
        case "lock": #expect(methods.xLock(file.file, SQLITE_LOCK_SHARED) == SQLITE_OK)
        case "unlock": #expect(methods.xUnlock(file.file, SQLITE_LOCK_NONE) == SQLITE_OK)
        case "write":
            let bytes = [UInt8](repeating: 30, count: Self.page)
            #expect(methods.xWrite(file.file, bytes, Int32(Self.page), Int64(30 * Self.page)) == SQLITE_OK)
        case "truncate": #expect(methods.xTruncate(file.file, Int64(60 * Self.page)) == SQLITE_OK)
        case "index map", "index lock", "barrier":
            var region: UnsafeMutableRawPointer?
            #expect(methods.xShmMap(file.file, 0, 32_768, 1, &region) == SQLITE_OK)
            guard call != "index map" else { break }
            for number in 0..<10 { #expect(file.read(number) == UInt8(number)) }
            try file.overwrite(11, with: 0xBB)
            try #require(file.read(11) == 0xAA)
            try file.overwrite(11, with: 0xAA)
            if call == "barrier" {
                methods.xShmBarrier(file.file)
            } else {
                #expect(methods.xShmLock(file.file, 4, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
                #expect(methods.xShmLock(file.file, 4, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
            }
        default:
            var hasMoved: Int32 = 0
            #expect(methods.xFileControl(file.file, SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK)
        }
        #expect(file.read(11) == 0xAA)
        if methods.xShmUnmap(file.file, 1) == SQLITE_OK { _ = methods.xUnlock(file.file, SQLITE_LOCK_NONE) }
    }

    /// A large update asks for page after page, and writes one after each.
    @Test func doesNotReadAheadInVain() throws {
        let file = try OpenFile(pages: 80)
        let bytes = [UInt8](repeating: 79, count: Self.page)
        var ahead = 0
        for number in stride(from: 0, to: 70, by: 2) {
            #expect(file.read(number) == UInt8(number))
            try file.overwrite(number + 1, with: 0xAA)
            if file.read(number + 1) != 0xAA { ahead += 1 }
            #expect(file.methods.xWrite(file.file, bytes, Int32(Self.page), Int64(79 * Self.page)) == SQLITE_OK)
        }
        #expect(ahead <= 3)
    }

    /// What a mapped file has no more cannot be read without harm.
    @Test func doesNotReadMappedFilesAhead() throws {
        let file = try OpenFile(pages: 40)
        var size: Int64 = 1 << 20
        #expect(file.methods.xFileControl(file.file, SQLITE_FCNTL_MMAP_SIZE, &size) == SQLITE_OK)
        for number in 0..<10 { #expect(file.read(number) == UInt8(number)) }
        try file.overwrite(11, with: 0xAA)
        #expect(file.read(11) == 0xAA)
    }

    // MARK: Stores

    /// Somebody moves amounts from row to row, and what is in the log into the file; whoever reads meanwhile must find the
    /// same sum at any time. The table takes more room than SQLite's cache.
    @Test(arguments: ["WAL", "DELETE"]) func sumsStayRightWhileOthersWrite(journal: String) async throws {
        let account = LibraryModel.entity("Account")
        account.properties = [
            LibraryModel.attribute("amount", .integer64AttributeType),
            LibraryModel.attribute("note", .stringAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [account]
        let pragmas: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": journal]]
        let library = try SQLiteLibrary(model, options: pragmas)
        let insert = NSBatchInsertRequest(
            entityName: "Account",
            objects: (0..<3_000).map { ["amount": $0, "note": String(repeating: "note ", count: 200)] })
        _ = try library.context.performAndWait { try library.context.execute(insert) }
        let path = library.url.path

        let writes = WriteCount()
        let writing = Task.detached {
            let other = try SQLiteConnection(path: path, access: .readWrite, busyTimeout: 10)
            var random = SystemRandomNumberGenerator()
            while !Task.isCancelled {
                let from = Int.random(in: 1...3_000, using: &random), to = Int.random(in: 1...3_000, using: &random)
                do {
                    try other.execute(
                        """
                        BEGIN IMMEDIATE;
                        UPDATE ZACCOUNT SET ZAMOUNT = ZAMOUNT - 7 WHERE Z_PK BETWEEN \(from) AND \(from + 50);
                        UPDATE ZACCOUNT SET ZAMOUNT = ZAMOUNT + (SELECT COUNT(*) FROM ZACCOUNT WHERE Z_PK \
                        BETWEEN \(from) AND \(from + 50)) * 7 WHERE Z_PK = \(to);
                        COMMIT
                        """)
                    if writes.add() % 5 == 0 { try other.execute("PRAGMA wal_checkpoint(PASSIVE)") }
                } catch {
                    // Busy: with a rollback journal, readers keep writers waiting.
                    if other.isInTransaction { try other.execute("ROLLBACK") }
                }
                await Task.yield()
            }
        }

        let reader = try library.makeSecondContext(options: pragmas)
        try await reader.perform {
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(format: "sum:(amount)")
            sum.expressionResultType = .integer64AttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Account")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [sum]
            var rounds = 0
            // The writer may be long in coming to its first turn.
            while rounds < 30 || writes.count == 0 && rounds < 5_000 {
                let sums = try reader.fetch(request).map { $0["sum"] as? Int }
                #expect(sums == [3_000 * 2_999 / 2])
                rounds += 1
            }
        }
        writing.cancel()
        try await writing.value
        #expect(writes.count > 0)
        #expect(try SQLiteConnection(path: path, access: .readOnly, busyTimeout: 5).text("PRAGMA quick_check") == "ok")
    }
}

/// How often somebody has written, told to other threads.
private final class WriteCount: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .relaxed) }
    func add() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}
