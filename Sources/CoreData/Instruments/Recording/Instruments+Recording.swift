import CoreDataRowStorage
import CoreDataRuntimeSupport

extension Instruments {
    /// How many operations a recording keeps unless told otherwise.
    public static let defaultLimit = 1_000_000

    /// Records what Core Data does in `body` and in the tasks it starts, blocks on contexts' queues included. Detached tasks and
    /// blocks of other dispatch queues are not part of it.
    ///
    /// - Parameters:
    ///   - limit: how many operations are kept, about 120 bytes each and what their predicates take. Of those after it the recording has totals only.
    ///   - plans: whether SQLite is asked for the query plan of each fetch, which adds a statement to it.
    ///   - findings: whether mistakes that cost time are looked for; see ``Finding``.
    ///   - isolation: the actor on which `body` runs.
    ///   - body: what is recorded. Its result is ignored.
    /// - Throws: what `body` throws.
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

    /// Records what Core Data does in `body` and in the tasks it starts; see the asynchronous form.
    @discardableResult
    public static func record<Result>(
        limit: Int = defaultLimit, plans: Bool = false, findings: Bool = true, _ body: () throws -> Result
    ) rethrows -> Recording {
        let recorder = Recorder(limit: limit, plans: plans, findings: findings)
        _ = try listening(with: recorder, body)
        return recorder.finish()
    }

    /// Records what Core Data does in `body` and in the tasks it starts, and returns the result of `body` as well.
    public static func recordResult<Result>(
        of body: () async throws -> Result, isolation: isolated (any Actor)? = #isolation
    ) async rethrows -> (result: Result, recording: Recording) {
        let recorder = Recorder(limit: defaultLimit, plans: false, findings: true)
        let result = try await listening(with: recorder, body)
        return (result, recorder.finish())
    }

    /// Records what Core Data does in `body`, and returns the result of `body` as well.
    public static func recordResult<Result>(
        of body: () throws -> Result
    ) rethrows -> (result: Result, recording: Recording) {
        let recorder = Recorder(limit: defaultLimit, plans: false, findings: true)
        let result = try listening(with: recorder, body)
        return (result, recorder.finish())
    }

    private static let running = Locked<Recorder?>(nil)

    /// Begins to record what Core Data does in the whole process. Does nothing while such a recording runs.
    ///
    /// - Parameters:
    ///   - limit: how many operations are kept, about 120 bytes each and what their predicates take. Of those after it the recording has totals only.
    ///   - plans: whether SQLite is asked for the query plan of each fetch, which adds a statement to it.
    ///   - findings: whether mistakes that cost time are looked for; see ``Finding``.
    public static func start(limit: Int = defaultLimit, plans: Bool = false, findings: Bool = true) {
        running.withLock { running in
            guard running == nil else { return }
            let recorder = Recorder(limit: limit, plans: plans, findings: findings)
            Probe.add(recorder)
            running = recorder
        }
    }

    /// Ends the recording that ``start(limit:plans:findings:)`` began.
    ///
    /// - Returns: what was recorded; an empty recording if none was running.
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
