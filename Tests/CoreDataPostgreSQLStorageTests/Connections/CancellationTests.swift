#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Statements that end early", .enabled(if: TestServer.isAvailable))
struct CancellationTests {
    private let sleep = PipelineRequest.plain("SELECT pg_sleep(20)")

    @Test("A statement that takes too long is cancelled, and the connection is used further")
    func deadline() throws {
        let connection = try Server.connection()
        for _ in 0..<2 {
            let start = ContinuousClock.now
            #expect(state { try connection.run([sleep], until: Deadline(after: 0.1)) } == "57014")
            #expect(ContinuousClock.now - start < .seconds(10))
            let value = try connection.integer("5")
            #expect(value == 5)
        }
        #expect(connection.isReusable)
    }

    @Test("A cancelled task cancels its statement with a CancellationError")
    func task() async throws {
        let pool = try Server.pool(1)
        // A request reaches the server over another process: on a busy machine the quickest of some counts.
        var delays: [Duration] = []
        repeat {
            let cancelled = Cancellations {
                try await pool.withConnection(until: Deadline(after: 60)) { connection in
                    try connection.run([.plain("SELECT pg_sleep(60)")])
                }
            }
            #expect(await waitUntil { pool.statistics.used == 1 && pool.statistics.waiting == 0 })
            try await Task.sleep(for: .milliseconds(100))
            let delay = try await cancelled.delay()
            delays.append(try #require(delay))
        } while delays.count < 5 && delays.last! >= .milliseconds(100)
        #expect(delays.last! < .milliseconds(100), "\(delays)")
        let value = try Server.integer("6", pool)
        #expect(value == 6)
    }

    @Test("A cancellation never reaches the next user of the connection")
    func nextUser() async throws {
        let pool = try Server.pool(1)
        for number in 0..<40 {
            let task = Task {
                try await pool.withConnection(until: Deadline(after: 120)) { connection in
                    for _ in 0..<8 { try connection.run([.plain("SELECT 1")]) }
                }
            }
            try await Task.sleep(for: .microseconds(number * 100))
            task.cancel()
            _ = await task.result
            for _ in 0..<3 {
                let value = try Server.integer("\(number)", pool)
                #expect(value == Int64(number))
            }
        }
    }

    @Test("A fetch whose answer is not needed any more ends while the server sorts")
    func interruption() throws {
        let connection = try Server.connection()
        let late = FetchInterruption(deadline: .now + .milliseconds(60))
        let failure = error { try connection.run([sleep], checking: late) } as NSError?
        #expect(failure?.code == NSPersistentStoreTimeoutError)
        let cancelled = FetchInterruption(isCancelled: { true })
        let other = error { try connection.run([sleep], checking: cancelled) } as? CocoaError
        #expect(other?.code == .userCancelled)
        let value = try connection.integer("5")
        #expect(value == 5)
    }

    @Test("The error of a receiver leaves a connection in order")
    func receiver() throws {
        struct Failure: Error {}
        let connection = try Server.connection()
        let request = PipelineRequest(ServerStatement("SELECT 1")) { _ in throw Failure() }
        #expect(throws: Failure.self) { try connection.run([request, .plain("SELECT 2")]) }
        let value = try connection.integer("5")
        #expect(value == 5)
    }
}
#endif
