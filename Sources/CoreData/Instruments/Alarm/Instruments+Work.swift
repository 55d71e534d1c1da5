import CoreDataRowStorage

extension Instruments {
    /// Runs `body` as one event and as one unit of work for the alarm: a request of a server, a refresh of a screen. Events
    /// within it are not its children, because it may end on another thread.
    ///
    /// Without it, the operations of one task or thread in one context are a unit of work, and outside of tasks each block of a
    /// context.
    public static func work<Result>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard Probe.isOn else { return try await body() }
        let span = WorkSpan(name)
        defer { span.end() }
        return try await InstrumentWork.$current.withValue(span.number, operation: body)
    }

    /// Runs synchronous code as one event and as one unit of work for the alarm; see the asynchronous form.
    public static func work<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        guard Probe.isOn else { return try body() }
        let span = WorkSpan(name)
        defer { span.end() }
        return try InstrumentWork.$current.withValue(span.number) {
            try InstrumentOrigin.with(work: span.number, body)
        }
    }
}

/// A unit of work that may begin on one thread and end on another.
private struct WorkSpan {
    let number = Probe.nextNumber()
    let record: EventRecord

    init(_ name: String) {
        let thread = InstrumentThread.current
        record = EventRecord(.work, number: number, thread: thread.number, start: InstrumentClock.now)
        record.keyPath = name
        record.task = thread.origin?.task ?? InstrumentOrigin.currentTask
        record.work = number
    }

    func end() {
        record.nanoseconds = Int64(clamping: InstrumentClock.now &- record.start)
        Probe.report(record, InstrumentThread.current)
    }
}
