#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation
import Synchronization

/// Requests to the server to end the running statement of one connection.
///
/// Requests go over another socket, from a helper thread: connecting blocks. One that reaches the server between two
/// statements of a pipeline has no effect, so that it is repeated until the pipeline ends.
final class QueryCancellation: @unchecked Sendable {
    private let request: OpaquePointer?
    private let state = Mutex(State())

    private struct State {
        /// True if the caller's task was cancelled.
        var isRequested = false
        var isRunning = false
        /// True if the server was asked to end the running pipeline.
        var isSent = false
        /// The number of the pipeline.
        var number: UInt64 = 0
    }

    private static let helpers = DispatchQueue(label: "CoreData.PostgreSQL.cancelling", attributes: .concurrent)
    /// The seconds between two requests, and their highest number.
    private static let interval = 0.5
    private static let highestCount = 10

    init(_ handle: OpaquePointer) { request = PQgetCancel(handle) }

    deinit { if let request { PQfreeCancel(request) } }

    // MARK: The connection's thread

    /// Marks the beginning of a pipeline.
    ///
    /// - Throws: `CancellationError` after an interruption.
    func begin() throws {
        try state.withLock { state in
            if state.isRequested { throw CancellationError() }
            state.isRunning = true
            state.isSent = false
            state.number += 1
        }
    }

    /// Marks the end of a pipeline; returns whether it was interrupted, and whether the server was asked to end it.
    func end() -> (isRequested: Bool, isSent: Bool) {
        state.withLock { state in
            state.isRunning = false
            return (state.isRequested, state.isSent)
        }
    }

    func forgetInterruption() { state.withLock { $0.isRequested = false } }

    // MARK: Any thread

    /// Ends the running pipeline, or the next one, with a `CancellationError`.
    func interrupt(_ connection: PostgreSQLConnection) {
        state.withLock { $0.isRequested = true }
        send(connection)
    }

    /// Asks the server to end the running pipeline.
    func send(_ connection: PostgreSQLConnection) {
        let number = state.withLock { state -> UInt64? in
            guard state.isRunning, !state.isSent else { return nil }
            state.isSent = true
            return state.number
        }
        if let number { Self.helpers.async { self.repeatedly(connection, number, count: 1) } }
    }

    private func repeatedly(_ connection: PostgreSQLConnection, _ number: UInt64, count: Int) {
        func isWanted() -> Bool { state.withLock { $0.isRunning && $0.number == number } }
        guard isWanted() else { return }
        var message = [CChar](repeating: 0, count: 256)
        if let request { _ = PQcancel(request, &message, 256) }
        Self.helpers.asyncAfter(deadline: .now() + Self.interval) {
            if count < Self.highestCount { return self.repeatedly(connection, number, count: count + 1) }
            self.state.withLock { if $0.isRunning, $0.number == number { connection.shutDown() } }
        }
    }
}
#endif
