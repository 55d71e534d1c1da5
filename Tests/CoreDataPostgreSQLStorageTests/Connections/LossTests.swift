#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Lost connections", .enabled(if: TestServer.isAvailable))
struct LossTests {
    private let soon = Deadline(after: 20)

    @Test(
        "Connections that the server has closed while nothing used them are replaced",
        .enabled(if: TestServer.isDirect))
    func betweenTransactions() throws {
        let pool = try Server.pool(3)
        let held = try (0..<3).map { _ in try Server.lease(pool) }
        let processes = Set(held.map(\.serverProcess))
        for connection in held { pool.release(connection) }
        for connection in held { try Server.terminate(connection) }
        for _ in 0..<3 {
            let process = try pool.withConnection(until: soon) { connection in
                try connection.run([.plain("SELECT 1")])
                return connection.serverProcess
            }
            #expect(!processes.contains(process))
        }
    }

    @Test(
        "A transaction whose server process ends is an error, and was not committed", .enabled(if: TestServer.isDirect))
    func withinTransaction() throws {
        let pool = try Server.pool(1)
        let connection = try Server.lease(pool)
        try connection.run([.plain("BEGIN"), .plain("SELECT 1")])
        try Server.terminate(connection)
        let failure = error { try connection.run([.plain("SELECT 1"), .plain("COMMIT")]) } as? PostgreSQLError
        #expect(failure?.isLoss == true)
        #expect(failure?.state == "57P01")
        #expect(failure?.isOutcomeUnknown == false)
        #expect(connection.isLost)
        #expect(state { try connection.run([.plain("SELECT 1")]) } == "08006")
        pool.release(connection)
        let value = try pool.withConnection(until: soon) { try $0.integer("4") }
        #expect(value == 4)
    }

    /// Cuts the connection while a statement runs.
    private func cut(_ requests: String...) throws -> PostgreSQLError? {
        let connection = try Server.connection()
        let socket = connection.socket
        Thread {
            usleep(60_000)
            shutdown(socket, Int32(SHUT_RDWR))
        }.start()
        return error { try connection.run(requests.map(PipelineRequest.plain)) } as? PostgreSQLError
    }

    @Test("The outcome of a transaction is unknown only if COMMIT was sent")
    func outcome() throws {
        let sleep = "SELECT pg_sleep(0.2)"
        let open = try #require(try cut("BEGIN", sleep))
        #expect(open.isLoss && !open.isOutcomeUnknown)
        #expect(RetryPolicy.isRetried(open))
        let committed = try #require(try cut("BEGIN", sleep, "COMMIT"))
        #expect(committed.isLoss && committed.isOutcomeUnknown)
        #expect(!RetryPolicy.isRetried(committed))
        // Statements without BEGIN are committed at the end of the pipeline.
        let alone = try #require(try cut(sleep))
        #expect(alone.isOutcomeUnknown)
    }
}

@Suite("Retries of transactions")
struct RetryPolicyTests {
    private func attempts(_ error: PostgreSQLError, _ policy: RetryPolicy = RetryPolicy()) -> (Int, String?) {
        var count = 0
        let state = state {
            try policy.retrying { number in
                #expect(number == count)
                count += 1
                throw error
            }
        }
        return (count, state)
    }

    @Test(
        "Serialization failures, deadlocks and losses are retried four times",
        arguments: ["40001", "40P01", "57P01", "08006"])
    func transient(state: String) {
        let start = ContinuousClock.now
        let (count, thrown) = attempts(PostgreSQLError(state: state, message: ""))
        #expect(count == 5)
        #expect(thrown == state)
        // 10, 20, 40 and 80 ms, each less at most a half.
        let elapsed = ContinuousClock.now - start
        #expect(elapsed >= .milliseconds(75) && elapsed < .seconds(2))
    }

    @Test(
        "Other errors are thrown at once",
        arguments: ["23505", "42501", "57014", "55P03", "08001", "53300"])
    func lasting(state: String) {
        let (count, thrown) = attempts(PostgreSQLError(state: state, message: ""))
        #expect(count == 1)
        #expect(thrown == state)
    }

    @Test("A transaction that may have been committed is not retried")
    func unknown() {
        var error = PostgreSQLError(state: "08006", message: "")
        error.isOutcomeUnknown = true
        let (count, _) = attempts(error)
        #expect(count == 1)
    }

    @Test("There is no attempt after the time limit")
    func limit() {
        var policy = RetryPolicy()
        policy.timeLimit = 0.02
        let (count, _) = attempts(PostgreSQLError(state: "40001", message: ""), policy)
        #expect(count >= 2 && count < 5)
    }

    @Test("The result of a later attempt is returned")
    func success() throws {
        let result = try RetryPolicy().retrying { number -> Int in
            if number < 2 { throw PostgreSQLError(state: "40001", message: "") }
            return number
        }
        #expect(result == 2)
    }
}
#endif
