import CoreDataRuntimeSupport

extension Instruments {
    /// How many operations a recording keeps unless told otherwise.
    public static let defaultLimit = 1_000_000

    /// Records what Core Data does in `body` and in the tasks it starts, blocks on contexts' queues included. Detached tasks and
    /// blocks of other dispatch queues are not part of it.
    ///
    /// - Parameters:
    ///   - limit: how many operations are kept, about 300 bytes each. Of those after it the recording has totals only.
    ///   - plans: whether SQLite is asked for the query plan of each fetch, which adds a statement to it.
    ///   - body: what is recorded. Its result is ignored.
    /// - Throws: what `body` throws.
    @discardableResult
    public static func record<Result>(
        limit: Int = defaultLimit, plans: Bool = false, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Recording {
        let recorder = Recorder(limit: limit, plans: plans)
        Probe.beginScope(recorder)
        defer { Probe.endScope(recorder) }
        let scope = InstrumentScope(recorder, outer: InstrumentScope.innermost)
        _ = try await InstrumentScope.$current.withValue(scope, operation: body)
        return recorder.finish()
    }

    /// Records what Core Data does in `body` and in the tasks it starts; see the asynchronous form.
    @discardableResult
    public static func record<Result>(
        limit: Int = defaultLimit, plans: Bool = false, _ body: () throws -> Result
    ) rethrows -> Recording {
        let recorder = Recorder(limit: limit, plans: plans)
        Probe.beginScope(recorder)
        defer { Probe.endScope(recorder) }
        let scope = InstrumentScope(recorder, outer: InstrumentScope.innermost)
        _ = try InstrumentScope.$current.withValue(scope) {
            try InstrumentOrigin.with(scope, body)
        }
        return recorder.finish()
    }

    private static let running = Locked<Recorder?>(nil)

    /// Begins to record what Core Data does in the whole process. Does nothing while such a recording runs.
    ///
    /// - Parameters:
    ///   - limit: how many operations are kept, about 300 bytes each. Of those after it the recording has totals only.
    ///   - plans: whether SQLite is asked for the query plan of each fetch, which adds a statement to it.
    public static func start(limit: Int = defaultLimit, plans: Bool = false) {
        running.withLock { running in
            guard running == nil else { return }
            let recorder = Recorder(limit: limit, plans: plans)
            Probe.add(recorder)
            running = recorder
        }
    }

    /// Ends the recording that ``start(limit:plans:)`` began.
    ///
    /// - Returns: what was recorded; an empty recording if none was running.
    @discardableResult
    public static func stop() -> Recording {
        let recorder = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let recorder else { return Recorder(limit: 0, plans: false).finish() }
        Probe.remove(recorder)
        return recorder.finish()
    }
}
