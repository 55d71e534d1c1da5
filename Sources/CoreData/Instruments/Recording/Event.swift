import CoreDataRowStorage

extension Instruments {
    /// One operation of Core Data: its request, in terms of the model, and its cost.
    ///
    /// A nested operation, such as a fault fired by a delete rule during a save, refers to the outer one by ``parentID``.
    /// Events are reported when their operations end, the nested ones first.
    public struct Event: Sendable, Identifiable {
        private let storage: Storage

        private enum Storage {
            case record(EventRecord)
            case kept(EventTable, Int32)
        }

        package init(_ record: EventRecord) { storage = .record(record) }

        /// Creates the event of an operation in a recording.
        init(_ index: Int32, of table: EventTable) { storage = .kept(table, index) }

        /// The properties of the operation in the units in which they are stored.
        package var facts: any EventFacts {
            switch storage {
            case .record(let record): record
            case .kept(let table, let index): KeptEvent(table: table, index: Int(index))
            }
        }

        /// The number of the event: greater than those of all operations of this process that began earlier.
        public var id: Int { facts.number }
        /// The ID of the event that this one is part of; nil at the outermost level.
        public var parentID: Int? { facts.parentNumber == 0 ? nil : facts.parentNumber }
        /// The kind of operation.
        public var kind: Kind { Kind(facts.kind) }
        /// The source of the result.
        public var source: Source { Source(facts.source) }
        /// The requested entity, or the entity of the objects.
        public var entity: String? { facts.entity }
        /// The relationship of a relationship fault, and the key path of a prefetch.
        public var keyPath: String? { facts.keyPath }
        /// The predicate of a fetch as a format string, with the values searched for.
        public var predicate: String? { facts.predicateText }
        /// The sort descriptors of a fetch: key paths, followed by “descending” for descending order.
        public var sortOrder: [String] { facts.sortOrder }
        /// The fetch limit; 0 for none.
        public var fetchLimit: Int { facts.limit }
        /// The number of objects, IDs or dictionaries returned, or of objects counted, saved, merged or refreshed, or of faults
        /// fulfilled at once.
        public var objects: Int { facts.objects }
        /// The number of rows read from the store.
        public var rows: Int { facts.rowCount }
        /// The numbers of objects inserted, updated and deleted by a save.
        public var changes: Changes { Changes(facts.changes) }
        /// The start of the operation in nanoseconds on the system's monotonic clock.
        public var start: UInt64 { facts.start }
        /// The duration of the operation, nested events included.
        public var duration: Duration { .nanoseconds(facts.nanoseconds) }
        /// The time spent waiting for the store's writer connection, for another connection, or for a lock of another process.
        public var waiting: Duration { .nanoseconds(facts.waitingNanoseconds) }
        /// The time that SQLite took to find and read rows, or to run the statements of a save.
        public var sqlDuration: Duration { .nanoseconds(facts.sqlNanoseconds) }
        /// The duration of a save's commit.
        public var commitDuration: Duration { .nanoseconds(facts.commitNanoseconds) }

        /// The statements run by the operation itself, in the order of their first execution.
        public var statements: [Statement] { facts.statementUses.map(Statement.init) }
        /// The number of statements run by the operation itself.
        public var statementCount: Int { facts.statementUses.reduce(0) { $0 + $1.count } }
        /// The query plan of the first statement, line by line, if a listener requested plans.
        public var queryPlan: [String] { facts.plan }

        /// The name of the context, or a description such as “main context” or “context 3”.
        public var context: String? { facts.contextName }
        /// The number that distinguishes contexts with the same name.
        public var contextID: Int? { facts.contextNumber }
        /// The thread of the operation: “main”, or an ascending number from 1.
        public var thread: String { facts.thread == 0 ? "main" : String(facts.thread) }
        /// The number of the operation's task, or of the task that waited for the context's block; nil outside of tasks.
        /// Numbers of ended tasks are reused.
        public var task: Int? { facts.task == 0 ? nil : facts.task }
        /// The file of the store, or the store's identifier.
        public var store: String? { facts.store }
        /// The description of the error, if the operation failed.
        public var failure: String? { facts.failure }
        /// The domain and code of that error, such as “NSCocoaErrorDomain 133020”. Unlike the description it never contains
        /// values.
        public var failureType: String? { facts.failureType }
    }
}

extension Instruments.Event {
    /// The numbers of objects changed by a save or a batch request.
    public struct Changes: Hashable, Sendable {
        /// The number of inserted objects or rows.
        public var inserted = 0
        /// The number of updated objects or rows.
        public var updated = 0
        /// The number of deleted objects or rows.
        public var deleted = 0

        /// Creates numbers of changes.
        public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
            (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        }

        init(_ changes: EventChanges) {
            self.init(inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
        }

        /// The sum of all changes.
        public var total: Int { inserted + updated + deleted }
    }

    /// The source of an operation's result.
    public enum Source: String, Hashable, Sendable {
        /// The store: a cache miss.
        case store
        /// Values in memory: a cache hit.
        case memory
        /// The parent context. Its operations are events within this one.
        case parent

        init(_ source: EventSource) {
            switch source {
            case .store: self = .store
            case .memory: self = .memory
            case .parent: self = .parent
            }
        }
    }

    /// A SQL statement run by an operation.
    public struct Statement: Hashable, Sendable {
        /// The text with placeholders for values.
        public let sql: String
        /// The number of executions, possibly with different values.
        public let count: Int

        init(_ use: StatementUse) { (sql, count) = (use.sql, use.count) }
    }
}
