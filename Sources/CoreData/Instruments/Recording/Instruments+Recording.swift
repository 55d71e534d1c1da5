import CoreDataRowStorage
import CoreDataRuntimeSupport

extension Instruments {
    /// The default limit of operations in a recording.
    public static let defaultLimit = 1_000_000

    /// Records the operations of Core Data in `body` and its child tasks, including blocks on contexts' queues. Detached tasks
    /// and blocks on other dispatch queues are not recorded.
    ///
    /// - Parameters:
    ///   - limit: The number of operations that are kept, each about 120 bytes plus the size of its predicate. Later operations
    ///     are counted in the totals only.
    ///   - plans: Whether SQLite is asked for the query plan of each fetch, which costs another statement.
    ///   - findings: Whether performance mistakes are detected; see ``Finding``.
    ///   - isolation: The actor that `body` runs on.
    ///   - body: The code to record. Its result is ignored.
    /// - Throws: The error of `body`.
    @discardableResult
    public static func record<Result>(
        limit: Int = defaultLimit, plans: Bool = false, findings: Bool = true,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Recording {
        let recorder = Recorder(limit: limit, plans: plans, findings: findings)
        _ = try await listening(with: recorder, body)
        return recorder.finish()
    }

    /// Records the operations of Core Data in `body` and its child tasks; see the asynchronous form.
    @discardableResult
    public static func record<Result>(
        limit: Int = defaultLimit, plans: Bool = false, findings: Bool = true, _ body: () throws -> Result
    ) rethrows -> Recording {
        let recorder = Recorder(limit: limit, plans: plans, findings: findings)
        _ = try listening(with: recorder, body)
        return recorder.finish()
    }

    /// Records the operations of Core Data in `body` and its child tasks, and also returns the result of `body`.
    public static func recordResult<Result>(
        of body: () async throws -> Result, isolation: isolated (any Actor)? = #isolation
    ) async rethrows -> (result: Result, recording: Recording) {
        let recorder = Recorder(limit: defaultLimit, plans: false, findings: true)
        let result = try await listening(with: recorder, body)
        return (result, recorder.finish())
    }

    /// Records the operations of Core Data in `body`, and also returns the result of `body`.
    public static func recordResult<Result>(
        of body: () throws -> Result
    ) rethrows -> (result: Result, recording: Recording) {
        let recorder = Recorder(limit: defaultLimit, plans: false, findings: true)
        let result = try listening(with: recorder, body)
        return (result, recorder.finish())
    }

    private static let running = Locked<Recorder?>(nil)

    /// Starts recording the operations of Core Data in the whole process. Does nothing if such a recording is already running.
    ///
    /// - Parameters:
    ///   - limit: The number of operations that are kept, each about 120 bytes plus the size of its predicate. Later operations
    ///     are counted in the totals only.
    ///   - plans: Whether SQLite is asked for the query plan of each fetch, which costs another statement.
    ///   - findings: Whether performance mistakes are detected; see ``Finding``.
    public static func start(limit: Int = defaultLimit, plans: Bool = false, findings: Bool = true) {
        running.withLock { running in
            guard running == nil else { return }
            let recorder = Recorder(limit: limit, plans: plans, findings: findings)
            Probe.add(recorder)
            running = recorder
        }
    }

    /// Stops the recording started by ``start(limit:plans:findings:)``.
    ///
    /// - Returns: The recording; empty if none was running.
    @discardableResult
    public static func stop() -> Recording {
        let recorder = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let recorder else { return Recorder(limit: 0, plans: false, findings: false).finish() }
        Probe.remove(recorder)
        return recorder.finish()
    }
}
