#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Pool of connections", .enabled(if: TestServer.isAvailable))
struct PoolTests {
    private let soon = Deadline(after: 120)

    @Test("Connections are granted in the order of the requests, to threads and tasks")
    func order() async throws {
        let pool = try Server.pool(1)
        let held = try await pool.lease(until: soon) as PostgreSQLConnection
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                let use: @Sendable (PostgreSQLConnection) -> Void = { connection in
                    order.withLock { $0.append(number) }
                    pool.release(connection)
                }
                if number % 2 == 0 {
                    group.addTask { use(try await pool.lease(until: soon)) }
                } else {
                    Thread {
                        if let connection = try? pool.lease(until: Deadline(after: 120)) { use(connection) }
                    }.start()
                }
                #expect(await waitUntil { pool.statistics.waiting == number + 1 })
            }
            pool.release(held)
            try await group.waitForAll()
        }
        #expect(await waitUntil { order.withLock { $0.count == 12 } })
        #expect(order.withLock { $0 } == Array(0..<12))
        #expect(pool.statistics == (0, 1, 0))
    }

    @Test("A pool that is exhausted is an error that names its size, and goes on")
    func exhausted() async throws {
        let pool = try Server.pool(2)
        let held = [try Server.lease(pool), try Server.lease(pool)]
        let failure = error { _ = try Server.lease(pool, 0.05) } as? PostgreSQLError
        #expect(failure?.state == "53300")
        let shown = ServerFailure.error(try #require(failure), place: pool.settings.place)
        #expect(shown.code == NSPersistentStoreTimeoutError)
        #expect(shown.localizedFailureReason?.contains("all 2 connections") == true)
        #expect(shown.localizedRecoverySuggestion != nil)
        await #expect(throws: PostgreSQLError.self) {
            _ = try await pool.lease(until: Deadline(after: 0.05)) as PostgreSQLConnection
        }
        #expect(pool.statistics == (2, 0, 0))
        // What has given up takes nothing.
        for connection in held { pool.release(connection) }
        #expect(pool.statistics == (0, 2, 0))
        let value = try Server.integer("7", pool)
        #expect(value == 7)
    }

    @Test("2,000 tasks use four connections, and 64 that are cancelled end within 100 ms")
    func manyTasks() async throws {
        let pool = try Server.pool(4)
        let held = try (0..<4).map { _ in try Server.lease(pool) }
        let threads = Shared<Set<UInt>>([])
        let done = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<1936 {
                group.addTask {
                    try await pool.withConnection(until: Deadline(after: 120)) { connection in
                        threads.withLock { _ = $0.insert(UInt(pthread_self())) }
                        return try connection.integer("\(number)")
                    }
                }
            }
            let cancelled = Cancellations(count: 64) {
                pool.release(try await pool.lease(until: Deadline(after: 120)))
            }
            #expect(await waitUntil { pool.statistics.waiting == 2000 })
            let delay = try await cancelled.delay()
            #expect(try #require(delay) < .milliseconds(100))
            for connection in held { pool.release(connection) }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(done == Set(0..<1936))
        #expect(threads.withLock { $0.count } <= 64)
        #expect(pool.statistics == (0, 4, 0))
    }

    @Test("A connection that a cancelled task was opening goes to the pool")
    func cancelledOpening() async throws {
        let silent = try ScriptedServer([])
        let url = try #require(URL(string: "postgresql://u:p@127.0.0.1:\(silent.port)/db?sslmode=disable"))
        let pool = ConnectionPool(try ConnectionSettings(url), size: 1)
        let cancelled = Cancellations { _ = try await pool.lease(until: Deadline(after: 2)) as PostgreSQLConnection }
        #expect(await waitUntil { pool.statistics.used == 1 })
        let delay = try await cancelled.delay()
        #expect(try #require(delay) < .milliseconds(100))
        #expect(await waitUntil { pool.statistics.used == 0 })
    }

    @Test("Who waits when a pool is closed gets an error; what is in use is closed afterwards")
    func closing() async throws {
        let pool = try Server.pool(1)
        let held = try Server.lease(pool)
        let task = Task { _ = try await pool.lease(until: Deadline(after: 120)) as PostgreSQLConnection }
        #expect(await waitUntil { pool.statistics.waiting == 1 })
        pool.close()
        await #expect(throws: NSError.self) { try await task.value }
        let value = try held.integer("3")
        #expect(value == 3)
        pool.release(held)
        #expect(pool.statistics == (0, 0, 0))
        let refused = error { _ = try Server.lease(pool) } as NSError?
        #expect(refused?.code == NSPersistentStoreOperationError)
    }

    @Test("An open transaction is rolled back when its connection is released")
    func openTransaction() throws {
        let pool = try Server.pool(1)
        let process = try pool.withConnection(until: soon) { connection in
            try connection.run([.plain("BEGIN"), .plain("SELECT 1")])
            return connection.serverProcess
        }
        try pool.withConnection(until: soon) { connection in
            #expect(connection.serverProcess == process)
            #expect(!connection.isInTransaction)
        }
    }

    @Test("Sockets are closed in programs that are started")
    func descriptors() throws {
        let flags = fcntl(try Server.connection().socket, F_GETFD)
        #expect(flags & FD_CLOEXEC != 0)
    }
}
#endif
