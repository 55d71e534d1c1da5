#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Transactions that stay open", .enabled(if: TestServer.isAvailable))
struct HeldTransactionTests {
    private func hold(_ pool: ConnectionPool, _ beginning: String...) throws -> HeldTransaction {
        try HeldTransaction(
            pool, lease: Deadline(after: 5), beginning.map(PipelineRequest.plain), until: Deadline(after: 5))
    }

    private func fail(_ transaction: HeldTransaction) {
        #expect(state { try transaction.reading { _ = try $0.integer("1 / 0") } } == "22012")
    }

    @Test("A snapshot goes on after a read that has failed")
    func failedRead() throws {
        let pool = try Server.pool(1)
        let transaction = try hold(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SELECT 1")
        let state = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        let before = try transaction.reading { try $0.integer(state) }
        fail(transaction)
        // Another transaction ends meanwhile.
        try Server.connection().run([.plain("SELECT pg_current_xact_id()")])
        fail(transaction)
        let after = try transaction.reading { try $0.integer(state) }
        #expect(after == before)
        transaction.end()
        #expect(pool.statistics == (0, 1, 0))
    }

    @Test("Locks are kept after a write that has failed, and released by one that succeeds")
    func failedWrite() throws {
        let pool = try Server.pool(1)
        let name = "held_\(UInt32.random(in: 0...UInt32.max))"
        try TestServer.execute("CREATE TABLE \(name) (n integer)")
        defer { try? TestServer.execute("DROP TABLE \(name)") }
        let transaction = try hold(pool, "BEGIN", "LOCK TABLE \(name) IN EXCLUSIVE MODE")
        let insert = PipelineRequest.plain("INSERT INTO \(name) VALUES (1)")
        #expect(state { try transaction.committing { try $0.run([insert, .plain("SELECT 1 / 0")]) } } == "22012")
        let other = try Server.connection()
        let locked = state {
            try other.run([.plain("BEGIN"), .plain("SET LOCAL lock_timeout = 20"), insert, .plain("COMMIT")])
        }
        #expect(locked == "55P03")
        try other.run([.plain("ROLLBACK")])
        try transaction.committing { try $0.run([insert]) }
        #expect(transaction.isOver)
        let count = try other.integer("SELECT count(*) FROM \(name)")
        #expect(count == 1)
        try other.run([insert])
    }

    @Test("A transaction whose connection is lost stays an error", .enabled(if: TestServer.isDirect))
    func loss() throws {
        let pool = try Server.pool(1)
        let transaction = try hold(pool, "BEGIN")
        try transaction.reading { try Server.terminate($0) }
        for _ in 0..<2 {
            let failure = error { try transaction.reading { _ = try $0.integer("1") } } as? PostgreSQLError
            #expect(failure?.isLoss == true)
        }
        transaction.end()
        let value = try pool.withConnection(until: Deadline(after: 5)) { try $0.integer("2") }
        #expect(value == 2)
    }
}

@Suite("Turns of writers")
struct WriteGateTests {
    private let soon = Deadline(after: 600)

    @Test("Saves run side by side, and wait for a thread that keeps others out")
    func turns() async throws {
        let gate = WriteGate()
        try gate.enter(until: soon)
        try gate.enter(until: soon)
        let order = Shared<[String]>([])
        Thread {
            try? gate.enterAlone(until: Deadline(after: 600))
            order.withLock { $0.append("alone") }
            usleep(20_000)
            order.withLock { $0.append("end") }
            gate.leaveAlone()
        }.start()
        #expect(await waitUntil { gate.waiting == 1 })
        // Later saves wait for the one before them.
        Thread {
            try? gate.enter(until: Deadline(after: 600))
            order.withLock { $0.append("save") }
            gate.leave()
        }.start()
        #expect(await waitUntil { gate.waiting == 2 })
        #expect(order.withLock { $0.isEmpty })
        gate.leave()
        gate.leave()
        #expect(await waitUntil { order.withLock { $0.count == 3 } })
        #expect(order.withLock { $0 } == ["alone", "end", "save"])
    }

    @Test("One that has waited too long gives up, and keeps nothing from others")
    func timeout() throws {
        let gate = WriteGate()
        try gate.enter(until: soon)
        let failure = error { try gate.enterAlone(until: Deadline(after: 0.03)) } as NSError?
        #expect(failure?.code == 134_090)
        try gate.enter(until: soon)
        gate.leave()
        gate.leave()
        try gate.enterAlone(until: soon)
        gate.leaveAlone()
    }
}
#endif
