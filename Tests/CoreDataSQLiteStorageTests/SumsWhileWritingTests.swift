import CoreData
import Foundation
import MagicalRecordTestSupport
import Synchronization
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// What a reader finds while another connection writes, and copies the log into the file.
@Suite(.slow) struct SumsWhileWritingTests {
    /// A thread moves amounts from row to row, and the content of the log into the file; a reader must find the same sum at any
    /// time. The table takes more room than SQLite's cache.
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

        let writer = AmountWriter(path)
        writer.start()
        defer { writer.cancel() }

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
            while rounds < LongForm.choose(10, long: 30) || writer.count == 0 && rounds < 5_000 {
                let sums = try reader.fetch(request).map { $0["sum"] as? Int }
                #expect(sums == [3_000 * 2_999 / 2])
                rounds += 1
            }
        }
        writer.cancel()
        try writer.wait()
        #expect(writer.count > 0)
        #expect(try SQLiteConnection(path: path, access: .readOnly, busyTimeout: 5).text("PRAGMA quick_check") == "ok")
    }
}

/// A thread that moves amounts between the rows of a store, in transactions, and copies the log into the file.
private final class AmountWriter: Sendable {
    private let path: String
    private let isCancelled = Atomic<Bool>(false)
    private let number = Atomic<Int>(0)
    private let end = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ path: String) {
        self.path = path
    }

    /// Starts the thread.
    func start() {
        Thread { [self] in
            do { try write() } catch { failure.withLock { $0 = error } }
            end.signal()
        }
        .start()
    }

    /// Makes the thread end after the transaction that it is in.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// The number of transactions so far.
    var count: Int { number.load(ordering: .relaxed) }

    /// Waits until the thread has ended, and throws its error.
    func wait() throws {
        end.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func write() throws {
        let other = try SQLiteConnection(path: path, access: .readWrite, busyTimeout: 10)
        while !isCancelled.load(ordering: .relaxed) {
            let from = Int.random(in: 1...3_000), to = Int.random(in: 1...3_000)
            do {
                try other.executeScript(
                    """
                    BEGIN IMMEDIATE;
                    UPDATE ZACCOUNT SET ZAMOUNT = ZAMOUNT - 7 WHERE Z_PK BETWEEN \(from) AND \(from + 50);
                    UPDATE ZACCOUNT SET ZAMOUNT = ZAMOUNT + (SELECT COUNT(*) FROM ZACCOUNT WHERE Z_PK \
                    BETWEEN \(from) AND \(from + 50)) * 7 WHERE Z_PK = \(to);
                    COMMIT
                    """)
                let count = number.wrappingAdd(1, ordering: .relaxed).newValue
                if count % 5 == 0 { try other.execute("PRAGMA wal_checkpoint(PASSIVE)") }
            } catch {
                // Busy: with a rollback journal, readers keep writers waiting.
                if other.isInTransaction { try other.execute("ROLLBACK") }
            }
        }
    }
}
