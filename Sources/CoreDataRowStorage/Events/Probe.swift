import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// A receiver of the engine's operations.
///
/// Functions are called on the thread that runs the operation, while the engine may hold locks: they must not use contexts or
/// stores, and should return quickly.
package protocol EventListener: AnyObject, Sendable {
    /// The reports that the listener needs besides the operations themselves.
    var needs: Probe.Needs { get }
    /// Receives an operation that has ended.
    func ended(_ record: EventRecord)
    /// Receives a statement that is about to run, with values bound to it.
    func begins(_ statement: any ReportedStatement, in record: EventRecord?)
    /// Receives a line for the log of migrations.
    func migrates(_ line: String)
    /// Receives a use of an object that reads none of its values.
    func uses(_ use: ObjectUse, in table: UInt)
}

extension EventListener {
    package func begins(_ statement: any ReportedStatement, in record: EventRecord?) {}
    package func migrates(_ line: String) {}
    package func uses(_ use: ObjectUse, in table: UInt) {}
}

/// The points at which the engine reports operations.
///
/// Each is guarded by ``isOn``, a load and a branch, so nothing else runs without a listener.
@usableFromInline
package enum Probe {
    /// The reports that some listener needs.
    @usableFromInline
    package struct Needs: OptionSet, Sendable {
        @usableFromInline package let rawValue: UInt8

        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Operations. Every listener needs them.
        package static let events = Needs(rawValue: 1)
        /// Every statement before it runs.
        package static let statements = Needs(rawValue: 2)
        /// The statements of fetches before they run.
        package static let fetchStatements = Needs(rawValue: 64)
        /// The query plans of fetches.
        package static let plans = Needs(rawValue: 4)
        /// The steps of migrations, as lines of text.
        package static let migrations = Needs(rawValue: 8)
        /// The uses of fetched objects.
        package static let objects = Needs(rawValue: 16)
        /// The beginnings of operations, and traces.
        package static let traces = Needs(rawValue: 32)
    }

    @usableFromInline static let needs = Atomic<UInt8>(0)
    private static let lastNumber = Atomic<Int>(0)
    private static let listeners = Locked(Listeners())
    /// Whether there are listeners for the whole process.
    private static let listensToAll = Atomic<Bool>(false)

    private struct Listeners {
        var all: ContiguousArray<any EventListener> = []
        var scoped: [ObjectIdentifier: (listener: any EventListener, uses: Int)] = [:]

        var needs: Needs {
            var needs: Needs = []
            for listener in all { needs.formUnion(listener.needs) }
            for entry in scoped.values { needs.formUnion(entry.listener.needs) }
            return needs
        }
    }

    /// Whether there is a listener.
    @inlinable @inline(__always)
    package static var isOn: Bool { needs.load(ordering: .relaxed) != 0 }

    @inlinable @inline(__always)
    package static func isNeeded(_ need: Needs) -> Bool { needs.load(ordering: .relaxed) & need.rawValue != 0 }

    // MARK: Listeners

    /// Adds a listener for the whole process.
    package static func add(_ listener: some EventListener) {
        listeners.withLock {
            $0.all.append(listener)
            listensToAll.store(true, ordering: .relaxed)
            needs.store($0.needs.rawValue, ordering: .relaxed)
        }
    }

    package static func remove(_ listener: some EventListener) {
        listeners.withLock {
            $0.all.removeAll { $0 === listener }
            listensToAll.store(!$0.all.isEmpty, ordering: .relaxed)
            needs.store($0.needs.rawValue, ordering: .relaxed)
        }
    }

    /// Enables reporting for the listener of a task, which receives operations through its ``InstrumentScope``.
    package static func beginScope(_ listener: some EventListener) {
        listeners.withLock {
            $0.scoped[ObjectIdentifier(listener), default: (listener, 0)].uses += 1
            needs.store($0.needs.rawValue, ordering: .relaxed)
        }
    }

    package static func endScope(_ listener: some EventListener) {
        listeners.withLock {
            let key = ObjectIdentifier(listener)
            $0.scoped[key]?.uses -= 1
            if $0.scoped[key]?.uses == 0 { $0.scoped[key] = nil }
            needs.store($0.needs.rawValue, ordering: .relaxed)
        }
    }

    // MARK: Operations

    /// Begins an operation on this thread, nested in the one that runs there.
    @usableFromInline
    static func make(
        _ kind: EventKind, _ context: ContextLabel?, _ entity: String?
    ) -> EventRecord {
        let thread = InstrumentThread.current
        thread.hits = nil
        let record = EventRecord(
            kind, number: nextNumber(), parent: thread.current, thread: thread.number, start: InstrumentClock.now)
        record.task = thread.origin?.task ?? InstrumentOrigin.currentTask
        record.work = thread.origin?.work ?? InstrumentWork.current
        record.block = thread.origin?.block ?? 0
        record.isInternal = thread.isInternal
        record.context = context
        record.entity = entity
        if isNeeded(.traces) {
            let listeners = traceListeners
            var traces = Traces.current(for: listeners, on: thread)
            traces.begin(record, for: listeners)
            record.traces = traces
        }
        thread.current = record
        return record
    }

    /// Returns the traces to pass from this thread to a block of a context.
    package static func traces(on thread: InstrumentThread) -> Traces? {
        isNeeded(.traces) ? Traces.current(for: traceListeners, on: thread) : nil
    }

    private static var traceListeners: [any TraceListener] {
        listeners.withLock { $0.all.compactMap { $0 as? any TraceListener } }
    }

    package static func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Ends an operation on the thread that began it, and reports it.
    @usableFromInline
    static func end(_ record: EventRecord, failure: (any Error)? = nil) {
        record.nanoseconds = Int64(clamping: InstrumentClock.now &- record.start)
        if let failure { record.note(failure as NSError) }
        let thread = InstrumentThread.current
        thread.hits = nil
        if thread.current === record { thread.current = record.parent }
        record.parent?.innerQueries += record.queries
        record.parent = nil
        report(record, thread)
    }

    /// Passes an operation to all listeners of this thread.
    package static func report(_ record: EventRecord, _ thread: InstrumentThread) {
        forEachListener(thread) { $0.ended(record) }
    }

    /// Runs `body` as an operation, and passes it the operation's record.
    @inlinable @inline(never)
    package static func measure<Result>(
        _ kind: EventKind, _ context: ContextLabel? = nil, entity: String? = nil,
        _ body: (EventRecord) throws -> Result
    ) rethrows -> Result {
        let record = make(kind, context, entity)
        do {
            let result = try body(record)
            end(record)
            return result
        } catch {
            end(record, failure: error)
            throw error
        }
    }

    // MARK: Statements

    /// Reports that a statement begins to run on this thread.
    @inline(never)
    package static func begins(_ statement: any ReportedStatement) {
        let thread = InstrumentThread.current
        thread.hits = nil
        let record = thread.current
        if isNeeded(.statements) || (isNeeded(.fetchStatements) && record?.kind.isFetch == true) {
            forEachListener(thread) { $0.begins(statement, in: record) }
        }
        if let record {
            record.count(statement.sql)
            if isNeeded(.plans), record.plan.isEmpty, record.kind.reads {
                record.plan = statement.queryPlan
            }
            return
        }
        let lone = EventRecord(
            .maintenance, number: nextNumber(), thread: thread.number, start: InstrumentClock.now)
        lone.task = thread.origin?.task ?? InstrumentOrigin.currentTask
        lone.count(statement.sql)
        report(lone, thread)
    }

    @inline(__always)
    private static func forEachListener(_ thread: InstrumentThread, _ body: (any EventListener) -> Void) {
        if listensToAll.load(ordering: .relaxed) {
            for listener in listeners.withLock({ $0.all }) { body(listener) }
        }
        var scope = thread.origin.map(\.scope) ?? InstrumentScope.current
        while let current = scope {
            body(current.listener)
            scope = current.outer
        }
    }

    // MARK: Objects

    /// Reports a use of an object.
    ///
    /// - Parameter table: the object's table.
    @inline(never)
    package static func uses(_ use: ObjectUse, in table: UnsafeMutableRawPointer) {
        let thread = InstrumentThread.current
        // Uses by the engine itself do not count.
        guard thread.current == nil, !thread.isInternal else { return }
        forEachListener(thread) { $0.uses(use, in: UInt(bitPattern: table)) }
    }

    /// Whether to record the paths by which the program reaches objects: some listener needs them, and the current work is
    /// not internal to the engine.
    package static var notesWays: Bool { isNeeded(.objects) && !InstrumentThread.current.isInternal }

    /// Runs internal work of the engine, which does not count as a use of objects by the program.
    @inlinable
    package static func internally<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard isOn else { return try body() }
        let thread = InstrumentThread.current
        let outer = thread.isInternal
        thread.isInternal = true
        thread.hits = nil
        defer {
            thread.isInternal = outer
            thread.hits = nil
        }
        return try body()
    }

    // MARK: Migrations

    /// Writes a line about the progress of a migration to the log of migrations.
    package static func migrates(_ line: @autoclosure () -> String) {
        guard isNeeded(.migrations) else { return }
        let text = line()
        forEachListener(InstrumentThread.current) { $0.migrates(text) }
    }

    // MARK: Cache hits

    /// Reports that a fault was fulfilled from a row in memory.
    ///
    /// - Parameter table: the object's uniquing table, which belongs to one context and entity.
    @inline(__always)
    package static func hit(
        in table: UnsafeMutableRawPointer, context: @autoclosure () -> ContextLabel?, entity: @autoclosure () -> String
    ) {
        let thread = InstrumentThread.current
        if let current = thread.current, current.kind.makesObjects { return }
        if let run = thread.hits, run.table == UInt(bitPattern: table) {
            run.count.store(run.count.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
            return
        }
        let run = HitRun(table: table)
        let record = EventRecord(
            .fault, number: nextNumber(), parentNumber: thread.current?.number ?? 0, thread: thread.number,
            start: InstrumentClock.now, hits: run)
        record.task = thread.origin?.task ?? InstrumentOrigin.currentTask
        record.work = thread.origin?.work ?? InstrumentWork.current
        record.block = thread.origin?.block ?? 0
        record.isInternal = thread.isInternal
        record.source = .memory
        record.table = run.table
        record.context = context()
        record.entity = entity()
        report(record, thread)
        thread.hits = run
    }

    /// The operation that runs on this thread; nil without a listener.
    @inlinable @inline(__always)
    package static var current: EventRecord? { isOn ? InstrumentThread.current.current : nil }
}
