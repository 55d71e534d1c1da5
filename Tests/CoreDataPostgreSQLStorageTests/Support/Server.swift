#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import Foundation
import PostgreSQLTestSupport

/// The server of the tests, asked without an engine.
enum Server {
    struct NoAnswer: Error {}

    static func settings() throws -> ConnectionSettings {
        guard let url = TestServer.url else { throw NoAnswer() }
        return try ConnectionSettings(url)
    }

    static func pool(_ size: Int) throws -> ConnectionPool { ConnectionPool(try settings(), size: size) }

    /// Leases a connection on this thread.
    static func lease(_ pool: ConnectionPool, _ seconds: Double = 20) throws -> PostgreSQLConnection {
        try pool.lease(until: Deadline(after: seconds))
    }

    /// Returns the first value of an answer over a connection of a pool.
    static func integer(_ sql: String, _ pool: ConnectionPool) throws -> Int64 {
        try pool.withConnection(until: Deadline(after: 5)) { try $0.integer(sql) }
    }

    static func connection() throws -> PostgreSQLConnection { try PostgreSQLConnection(settings()) }

    /// Ends the server's process of a connection, and waits until it has.
    static func terminate(_ connection: PostgreSQLConnection) throws {
        let process = connection.serverProcess
        let other = try Server.connection()
        try other.run([.plain("SELECT pg_terminate_backend(\(process))")])
        for _ in 0..<400 {
            let count = try other.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)")
            if count == 0 { return }
            usleep(5000)
        }
        throw NoAnswer()
    }
}

extension PostgreSQLConnection {
    /// Returns the first value of an answer.
    func integer(_ sql: String, until deadline: Deadline = Deadline(after: 30)) throws -> Int64 {
        var value: Int64 = -1
        let request = PipelineRequest(ServerStatement("SELECT (\(sql))::bigint", isPrepared: false)) {
            value = try $0.int64(0, 0)
        }
        try run([request], until: deadline)
        return value
    }
}

/// The error that a closure throws.
func error(of body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

func state(of body: () throws -> Void) -> String? { (error(of: body) as? PostgreSQLError)?.state }

/// Waits until something is so, without blocking a thread of tasks: other tests of the process may block the rest.
func waitUntil(_ isSo: () -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(600)
    while !isSo() {
        guard ContinuousClock.now < limit else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Tasks that are cancelled at one moment, and a task of plain sleep beside each of them: how late its end is noticed shows
/// what the machine and the other tests of the process cost at that moment.
struct Cancellations {
    private let tasks: [Task<ContinuousClock.Instant?, any Error>]
    private let sleepers: [Task<ContinuousClock.Instant, Never>]

    /// - Parameter body: Throws `CancellationError` when it is cancelled.
    init(count: Int = 1, _ body: @escaping @Sendable () async throws -> Void) {
        tasks = (0..<count).map { _ in
            Task {
                do {
                    try await body()
                    return nil
                } catch is CancellationError {
                    return .now
                }
            }
        }
        sleepers = (0..<count).map { _ in
            Task {
                try? await Task.sleep(for: .seconds(3600))
                return .now
            }
        }
    }

    /// Cancels all tasks; returns how much later the last one has ended than the last sleep, or nil if one was not cancelled.
    func delay() async throws -> Duration? {
        for (task, sleeper) in zip(tasks, sleepers) {
            task.cancel()
            sleeper.cancel()
        }
        var (last, lastSleep): (ContinuousClock.Instant?, ContinuousClock.Instant?)
        for task in tasks {
            guard let end = try await task.value else { return nil }
            last = max(last ?? end, end)
        }
        for sleeper in sleepers {
            let end = await sleeper.value
            lastSleep = max(lastSleep ?? end, end)
        }
        guard let last, let lastSleep else { return nil }
        return last - lastSleep
    }
}
#endif
