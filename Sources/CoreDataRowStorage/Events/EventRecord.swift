import Foundation

/// One operation while it runs, and what an event reads afterwards.
///
/// Used by the thread that runs the operation until it is passed to listeners; not changed after that, with the exception of
/// ``HitRun``'s counters.
@usableFromInline
package final class EventRecord: @unchecked Sendable {
    package let kind: EventKind
    package let number: Int
    package let parentNumber: Int
    /// Counts the objects of an event that stands for several faults.
    package let hits: HitRun?
    /// The operation this one is part of, while both run.
    @exclusivity(unchecked) package var parent: EventRecord?
    package let thread: Int
    @exclusivity(unchecked) package var task = 0
    /// The piece of work that the program named; 0 for none.
    @exclusivity(unchecked) package var work = 0
    /// The block that was passed to a context's queue; 0 outside of such.
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
    /// Whether the engine does it for itself, as when it applies delete rules.
    @exclusivity(unchecked) package var isInternal = false
    /// The objects of a fetch, for listeners that need them.
    @exclusivity(unchecked) package var fetched: FetchedObjects?
    /// The address of the table of an object that a fault belongs to; 0 if unknown.
    @exclusivity(unchecked) package var table: UInt = 0
    /// How the program came to the object of a fault, if by a to-one relationship, or to what a relationship leads to.
    @exclusivity(unchecked) package var way: ObjectWay?
    /// How many reading operations within this one asked the store.
    @exclusivity(unchecked) package var innerQueries = 0
    /// The ID of the object that a fault belongs to. IDs are the graph's, above this layer.
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
    /// What is handed on to operations within it.
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

    /// How many operations, this one included, asked the store for rows.
    package var queries: Int { innerQueries + (kind.reads && source == .store && !statements.isEmpty ? 1 : 0) }

    /// Counts an execution of a statement.
    package func count(_ sql: String) { statements.count(sql) }

    /// Notes what went wrong.
    package func note(_ error: NSError) {
        failure = error.localizedDescription
        failureType = "\(error.domain) \(error.code)"
    }

    /// Adds rows that were read, and the time that took.
    package func add(rows: Int, since begin: UInt64) {
        rowCount += rows
        sqlNanoseconds += Int64(clamping: InstrumentClock.now &- begin)
    }

    /// Each adds the time since `begin`, and returns the present moment.
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
