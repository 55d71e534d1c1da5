import CoreDataRowStorage

extension Instruments {
    /// Makes an event of what `body` does with Core Data, and one piece of work for the alarm: a request of a server, a refresh
    /// of a screen. Events inside it are not its children: it may end on another thread.
    ///
    /// Without it, what one task or thread does with one context is a piece of work, and outside of tasks each block of a
    /// context.
    public static func work<Result>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard Probe.isOn else { return try await body() }
        let span = WorkSpan(name)
        defer { span.end() }
        return try await InstrumentWork.$current.withValue(span.number, operation: body)
    }

    /// Makes an event of what `body` does with Core Data, and one piece of work for the alarm; see the asynchronous form.
    public static func work<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        guard Probe.isOn else { return try body() }
        let span = WorkSpan(name)
        defer { span.end() }
        return try InstrumentWork.$current.withValue(span.number) {
            try InstrumentOrigin.with(work: span.number, body)
        }
    }
}

/// A piece of work that may begin on one thread and end on another.
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
