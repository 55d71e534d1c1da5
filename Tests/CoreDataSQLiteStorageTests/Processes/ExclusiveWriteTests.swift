import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Processes that each read a number and write what follows from it.
///
/// A transaction that SQLite has begun with `BEGIN IMMEDIATE` is the only one that writes until it ends (SQLite's documentation,
/// "Transactions"), so what is read inside it is what is written upon.
@Suite("Exclusive writes of processes", .slow)
struct ExclusiveWriteTests {
    let folder: TemporaryFolder
    let store: URL

    /// A store with the accounts A and B, at 0.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("Ledger.sqlite")
        let worker = try Worker("crash", store, ["wal", "100000"])
        try #require(worker.finish())
    }

    private func sql(_ text: String) throws -> Int64? {
        try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1).integer(text)
    }

    /// Where a save that would overwrite the other process's increment is refused, and tried again by the stack (`retry`) or by the
    /// program (`loop`). In these shapes the contexts for work have a parent.
    @Test(arguments: ["rootSaving", "parentChild", "mainOnly"], ["retry", "loop"])
    func everyRefusedIncrementArrives(_ shape: String, _ way: String) throws {
        let before = try #require(try sql("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'"))
        let times: Int64 = LongForm.choose(50, long: 200)
        let workers = try (0..<2).map { _ in try Worker("increment", store, ["\(times)", way, shape]) }
        for worker in workers { #expect(worker.finish(), "\(worker.lines)") }
        #expect(try sql("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'") == before + 2 * times)
    }

    @Test func everyIncrementOfTwoProcessesArrives() throws {
        let before = try #require(try sql("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'"))
        let workers = try (0..<2).map { _ in try Worker("increment", store, ["300"]) }
        for worker in workers {
            #expect(worker.finish(), "\(worker.lines)")
            // No closure has run twice.
            #expect(worker.last("done") == 300)
        }
        #expect(try sql("SELECT ZBALANCE FROM ZACCOUNT WHERE ZNAME = 'A'") == before + 600)
        let model = try NSManagedObjectModel(cachedInStoreAt: store)
        #expect(try StoreAuditor(store, model.layouts).problems() == [])
    }
}
