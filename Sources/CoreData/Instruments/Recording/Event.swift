import CoreDataRowStorage

extension Instruments {
    /// One operation of Core Data: what was asked, in terms of the model, and what it cost.
    ///
    /// An operation that another one leads to, such as the fault that a delete rule fires during a save, names that one as its
    /// ``parentID``. Events arrive when their operations end, the inner ones first.
    public struct Event: Sendable, Identifiable {
        private let storage: Storage

        private enum Storage {
            case record(EventRecord)
            case kept(EventTable, Int32)
        }

        package init(_ record: EventRecord) { storage = .record(record) }

        /// One of the operations of a recording.
        init(_ index: Int32, of table: EventTable) { storage = .kept(table, index) }

        /// The same as the properties below, in the units it is kept in.
        package var facts: any EventFacts {
            switch storage {
            case .record(let record): record
            case .kept(let table, let index): KeptEvent(table: table, index: Int(index))
            }
        }

        /// The number of the event: greater than those of all operations of this process that began earlier.
        public var id: Int { facts.number }
        /// The event that this one is part of; nil at the outermost level.
        public var parentID: Int? { facts.parentNumber == 0 ? nil : facts.parentNumber }
        /// What was done.
        public var kind: Kind { Kind(facts.kind) }
        /// Where the result came from.
        public var source: Source { Source(facts.source) }
        /// The entity that was asked for, or that the objects are of.
        public var entity: String? { facts.entity }
        /// The relationship of a relationship fault, and the key path of a prefetch.
        public var keyPath: String? { facts.keyPath }
        /// The predicate of a fetch as a format string. Holds the values that were searched for.
        public var predicate: String? { facts.predicateText }
        /// The sort descriptors of a fetch: key paths, those in descending order followed by “descending”.
        public var sortOrder: [String] { facts.sortOrder }
        /// The fetch limit; 0 for none.
        public var fetchLimit: Int { facts.limit }
        /// How many objects, IDs or dictionaries came of it, were counted, saved, merged or refreshed, or how many faults were
        /// fulfilled at once.
        public var objects: Int { facts.objects }
        /// How many rows were read from the store.
        public var rows: Int { facts.rowCount }
        /// What a save inserted, updated and deleted.
        public var changes: Changes { Changes(facts.changes) }
        /// When the operation began: nanoseconds on the system's monotonic clock.
        public var start: UInt64 { facts.start }
        /// How long the operation took, events within it included.
        public var duration: Duration { .nanoseconds(facts.nanoseconds) }
        /// How long it waited for its turn: for the writer of the store, for a connection, or for another process's lock.
        public var waiting: Duration { .nanoseconds(facts.waitingNanoseconds) }
        /// How long SQLite took to find and read rows, or to run the statements of a save.
        public var sqlDuration: Duration { .nanoseconds(facts.sqlNanoseconds) }
        /// How long a save's commit took.
        public var commitDuration: Duration { .nanoseconds(facts.commitNanoseconds) }

        /// The statements the operation ran itself, in the order of their first use.
        public var statements: [Statement] { facts.statementUses.map(Statement.init) }
        /// How many statements the operation ran itself.
        public var statementCount: Int { facts.statementUses.reduce(0) { $0 + $1.count } }
        /// How SQLite finds the rows: the lines of the first statement's query plan, where a listener asked for plans.
        public var queryPlan: [String] { facts.plan }

        /// The name of the context, or a description such as “main context” or “context 3”.
        public var context: String? { facts.contextName }
        /// Tells contexts of one name apart.
        public var contextID: Int? { facts.contextNumber }
        /// The thread it ran on: “main”, or a number counted up from 1.
        public var thread: String { facts.thread == 0 ? "main" : String(facts.thread) }
        /// Identifies the task it ran in, or that waited for the context's block; nil outside of tasks. Numbers of tasks that
        /// have ended are used again.
        public var task: Int? { facts.task == 0 ? nil : facts.task }
        /// The file of the store, or the store's identifier.
        public var store: String? { facts.store }
        /// What went wrong: the error's description.
        public var failure: String? { facts.failure }
        /// The domain and code of that error, such as “NSCocoaErrorDomain 133020”. Unlike the description it never holds values.
        public var failureType: String? { facts.failureType }
    }
}

extension Instruments.Event {
    /// What a save or a batch request changed.
    public struct Changes: Hashable, Sendable {
        /// Objects or rows that are new.
        public var inserted = 0
        /// Objects or rows with new values.
        public var updated = 0
        /// Objects or rows that are gone.
        public var deleted = 0

        /// Creates numbers of changes.
        public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
            (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        }

        init(_ changes: EventChanges) {
            self.init(inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
        }

        /// All of them.
        public var total: Int { inserted + updated + deleted }
    }

    /// Where the result of an operation came from.
    public enum Source: String, Hashable, Sendable {
        /// The store was read: a cache miss.
        case store
        /// The values were in memory: a cache hit.
        case memory
        /// The parent context was asked, whose own operations are events within this one.
        case parent

        init(_ source: EventSource) {
            switch source {
            case .store: self = .store
            case .memory: self = .memory
            case .parent: self = .parent
            }
        }
    }

    /// A SQL statement that an operation ran.
    public struct Statement: Hashable, Sendable {
        /// The text with placeholders for values.
        public let sql: String
        /// How often it ran, with other values each time.
        public let count: Int

        init(_ use: StatementUse) { (sql, count) = (use.sql, use.count) }
    }
}
