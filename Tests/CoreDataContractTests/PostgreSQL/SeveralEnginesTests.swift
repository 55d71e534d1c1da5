#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Two engines of one store", .enabled(if: TestServer.isAvailable))
struct SeveralEnginesTests {
    @Test func `An engine is released after conflicts, and with a watch that was not stopped`() throws {
        weak var released: AnyObject?
        try {
            let store = try ServerStore(keepsHistory: true)
            let engine = try #require(store.engine as? PostgreSQLEngine)
            released = engine
            try store.insert("Tag", [["word": "a"]])
            let row = try #require(try store.rows(store.fetch("Tag")).first)
            for _ in 0..<3 {
                let builder = SaveBuilder()
                builder.update(row, ["weight": 1], version: 9)
                #expect(throws: StoreConflicts.self) {
                    _ = try withExtendedLifetime(builder) { try store.session.save(builder.changes) }
                }
            }
            _ = try PostgreSQLDriver.watch(engine) {}
        }()
        // The watch may be asking.
        for _ in 0..<100 where released != nil { Thread.sleep(forTimeInterval: 0.05) }
        #expect(released == nil)
    }

    @Test func `A write while another engine keeps writers out is an error that names the cause`() throws {
        let store = try RawStore()
        let other = try store.openAgain()
        defer { PostgreSQLDriver.close(other) }
        let exclusive = try store.engine.exclusiveSession()
        let session = try other.session()
        let start = Date()
        let errors = [
            cocoaError {
                let builder = SaveBuilder()
                builder.insert("Tag", ["word": "a"])
                _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
            },
            cocoaError {
                let rows = BatchRows.values([["word": "b"]])
                _ = try session.run(BatchWork(.insert(rows, Bookshop.layout("Tag"), .fail)))
            },
            cocoaError { _ = try other.exclusiveSession() },
        ]
        #expect(Date().timeIntervalSince(start) < 30)
        for error in errors {
            #expect(error?.domain == NSCocoaErrorDomain, "\(error as Any)")
            #expect(error?.code == NSPersistentStoreTimeoutError, "\(error as Any)")
            #expect(error?.userInfo["SQLSTATE"] as? String == "55P03")
            #expect(error?.localizedDescription.contains("Another writer holds tables or rows") == true)
            let advice = error?.localizedRecoverySuggestion ?? ""
            #expect(advice.contains("exclusive unit of work") && advice.contains("another coordinator"), "\(advice)")
        }
        // Others read meanwhile, and write afterwards.
        #expect(try session.countRows(store.fetch("Tag")) == 0)
        try exclusive.end()
        _ = try session.run(BatchWork(.insert(.values([["word": "c"]]), Bookshop.layout("Tag"), .fail)))
        #expect(try store.count("Tag") == 1)
    }
}
#endif
