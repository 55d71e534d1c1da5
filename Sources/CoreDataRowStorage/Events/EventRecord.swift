import Foundation

/// A running operation, and the source of the event's values afterwards.
///
/// Used by the thread that runs the operation until it is passed to listeners, and immutable after that, except for
/// ``HitRun``'s counters.
@usableFromInline
package final class EventRecord: @unchecked Sendable {
    package let kind: EventKind
    package let number: Int
    package let parentNumber: Int
    /// The count of objects, for an event that stands for several faults.
    package let hits: HitRun?
    /// The enclosing operation, while both run.
    @exclusivity(unchecked) package var parent: EventRecord?
    package let thread: Int
    @exclusivity(unchecked) package var task = 0
    /// The number of the work item that the program has named; 0 for none.
    @exclusivity(unchecked) package var work = 0
    /// The number of the block that was passed to a context's queue; 0 outside of such blocks.
    @exclusivity(unchecked) package var block = 0
    @exclusivity(unchecked) package var source = EventSource.store
    @exclusivity(unchecked) package var context: ContextLabel?
    @exclusivity(unchecked) package var entity: String?
    @exclusivity(unchecked) package var keyPath: String?
    @exclusivity(unchecked) package var predicate: ReportedPredicate?
    @exclusivity(unchecked) package var sortDescriptors: [NSSortDescriptor]?
    @exclusivity(unchecked) package var limit = 0
    @exclusivity(unchecked) package var objectCount = 0
    @exclusivity(unchecked) package var rowCount = 0
    @exclusivity(unchecked) package var changes = EventChanges()
    /// Whether the engine started the operation itself, as when it applies delete rules.
    @exclusivity(unchecked) package var isInternal = false
    /// The objects of a fetch, for listeners that need them.
    @exclusivity(unchecked) package var fetched: FetchedObjects?
    /// The address of the uniquing table of the fault's object; 0 if unknown.
    @exclusivity(unchecked) package var table: UInt = 0
    /// The path by which the program reached a fault's object through a to-one relationship, or a relationship's members.
    @exclusivity(unchecked) package var way: ObjectWay?
    /// The number of nested reading operations that queried the store.
    @exclusivity(unchecked) package var innerQueries = 0
    /// The ID of a fault's object. The type is the graph's, above this layer.
    @exclusivity(unchecked) package var subject: AnyObject?

    package let start: UInt64
    @exclusivity(unchecked) package var nanoseconds: Int64 = 0
    @exclusivity(unchecked) package var waitingNanoseconds: Int64 = 0
    @exclusivity(unchecked) package var sqlNanoseconds: Int64 = 0
    @exclusivity(unchecked) package var commitNanoseconds: Int64 = 0

    @exclusivity(unchecked) package private(set) var statements = StatementUses()
    @exclusivity(unchecked) package var plan: [String] = []
    @exclusivity(unchecked) package var store: String?
    @exclusivity(unchecked) package var failure: String?
    /// The domain and code of the error.
    @exclusivity(unchecked) package var failureType: String?
    /// The traces to pass to nested operations.
    @exclusivity(unchecked) package var traces: Traces?

    package init(
        _ kind: EventKind, number: Int, parent: EventRecord? = nil, parentNumber: Int = 0, thread: Int,
        start: UInt64, hits: HitRun? = nil
    ) {
        self.kind = kind
        self.hits = hits
        self.number = number
        self.parent = parent
        self.parentNumber = parent?.number ?? parentNumber
        self.thread = thread
        self.start = start
    }

    /// The number of operations, this one included, that queried the store for rows.
    package var queries: Int { innerQueries + (kind.reads && source == .store && !statements.isEmpty ? 1 : 0) }

    /// Counts an execution of a statement.
    package func count(_ sql: String) { statements.count(sql) }

    /// Records an error.
    package func note(_ error: NSError) {
        failure = error.localizedDescription
        failureType = "\(error.domain) \(error.code)"
    }

    /// Adds to the number of rows read, and to the time that took.
    package func add(rows: Int, since begin: UInt64) {
        rowCount += rows
        sqlNanoseconds += Int64(clamping: InstrumentClock.now &- begin)
    }

    /// Adds the time since `begin` to the waiting time, and returns the current time.
    @discardableResult
    package func noteWaiting(since begin: UInt64) -> UInt64 { Self.add(since: begin, to: &waitingNanoseconds) }
    package func noteStatements(since begin: UInt64) -> UInt64 { Self.add(since: begin, to: &sqlNanoseconds) }
    @discardableResult
    package func noteCommit(since begin: UInt64) -> UInt64 { Self.add(since: begin, to: &commitNanoseconds) }

    private static func add(since begin: UInt64, to time: inout Int64) -> UInt64 {
        let now = InstrumentClock.now
        time += Int64(clamping: now &- begin)
        return now
    }

    package var sortOrder: [String] {
        (sortDescriptors ?? []).map { ($0.key ?? "SELF") + ($0.ascending ? "" : " descending") }
    }
}
