#if PostgreSQL
import Foundation

extension ConnectionPool {
    /// Returns a connection, which must be released. Suspends the task until there is one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits, or while a connection is opened.
    package func lease(until deadline: Deadline) async throws -> PostgreSQLConnection {
        try Task.checkCancellation()
        let cancellation = CancellationAction()
        return try await withTaskCancellationHandler {
            switch await grant(until: deadline, cancellation) {
            case .connection(let connection): return connection
            case .refusal(let error): throw error
            case .opening: return try await opened(until: deadline, cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func grant(until deadline: Deadline, _ cancellation: CancellationAction) async -> Waiter.Grant {
        let box = WaiterBox()
        await withCheckedContinuation { continuation in
            let waiter = Waiter(until: deadline) { continuation.resume() }
            box.waiter = waiter
            if let grant = enqueue(waiter) {
                box.grant = grant
                return continuation.resume()
            }
            setAlarm(deadline)
            cancellation.arm { [weak self] in self?.settle(waiter, .refusal(CancellationError())) }
        }
        cancellation.disarm()
        return box.grant ?? box.waiter?.grant ?? .refusal(CancellationError())
    }

    /// Opens a connection. That blocks, so that it is not done on a thread of tasks; after a cancellation, the pool
    /// gets it.
    private func opened(
        until deadline: Deadline, _ cancellation: CancellationAction
    ) async throws -> PostgreSQLConnection {
        try await withCheckedThrowingContinuation { continuation in
            let once = OneResumption(continuation)
            cancellation.arm { _ = once.resume(.failure(CancellationError())) }
            Self.blocking.async {
                let result = Result { try self.open(until: deadline) }
                if !once.resume(result), case .success(let connection) = result { self.release(connection) }
            }
        }
    }

    /// Runs a closure with a connection on a thread that may block. If the task is cancelled meanwhile, so is the
    /// running statement.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the closure has returned its result.
    package func withConnection<Result: Sendable>(
        until deadline: Deadline, _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Result
    ) async throws -> Result {
        let connection = try await lease(until: deadline) as PostgreSQLConnection
        let use = TaskUse(connection)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.blocking.async {
                    let result = Swift.Result { try body(connection) }
                    use.end()
                    self.release(connection)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            use.interrupt()
        }
    }

    /// The threads that open and use connections for tasks: at most as many at once as the pools have connections.
    private static let blocking = DispatchQueue(label: "CoreData.PostgreSQL.blocking", attributes: .concurrent)

    /// A waiter and what it was granted at once.
    private final class WaiterBox: @unchecked Sendable {
        var waiter: Waiter?
        var grant: Waiter.Grant?
    }
}

/// The use of a connection by a task: a cancellation that comes after its end must not reach the next user.
private final class TaskUse: @unchecked Sendable {
    private let lock = NSLock()
    private var connection: PostgreSQLConnection?

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    func interrupt() { lock.withLock { connection?.interrupt() } }
    func end() { lock.withLock { connection = nil } }
}

/// A continuation that the first of several results resumes.
private final class OneResumption: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<PostgreSQLConnection, any Error>?

    init(_ continuation: CheckedContinuation<PostgreSQLConnection, any Error>) { self.continuation = continuation }

    /// Resumes the continuation; returns false if it was resumed before.
    func resume(_ result: Result<PostgreSQLConnection, any Error>) -> Bool {
        let continuation = lock.withLock { () -> CheckedContinuation<PostgreSQLConnection, any Error>? in
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(with: result)
        return continuation != nil
    }
}

/// An action that runs once its task is cancelled, also if the task was cancelled before the action was known.
private final class CancellationAction: @unchecked Sendable {
    private let lock = NSLock()
    private var isCancelled = false
    private var action: (@Sendable () -> Void)?

    func arm(_ action: @escaping @Sendable () -> Void) {
        let runs = lock.withLock { () -> Bool in
            self.action = action
            return isCancelled
        }
        if runs { action() }
    }

    func disarm() { lock.withLock { action = nil } }

    func cancel() {
        let action = lock.withLock { () -> (@Sendable () -> Void)? in
            isCancelled = true
            return self.action
        }
        action?()
    }
}
#endif
