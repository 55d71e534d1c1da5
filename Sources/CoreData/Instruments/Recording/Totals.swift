import CoreDataRowStorage

extension Instruments.Recording {
    /// The sums over the operations of a recording, including those that were not kept.
    public struct Totals: Hashable, Sendable {
        /// The number of operations of any kind.
        public var events = 0
        /// The number of SQL statements, including those that begin and end transactions.
        public var statements = 0
        /// The number of operations that read rows from a store: fetches, counts, batches, prefetches, and faults. Writing in a
        /// save is no query.
        public var queries = 0
        /// The number of rows read from stores.
        public var rows = 0
        /// The number of fetches of objects, dictionaries and object IDs, and of counts.
        public var fetches = 0
        /// The number of faults of objects that were read from the store.
        public var faults = 0
        /// The number of to-many relationships that were read from the store.
        public var relationshipFaults = 0
        /// The number of faults fulfilled by values in memory.
        public var cacheHits = 0
        /// The number of faults of any kind that were read from the store.
        public var cacheMisses: Int { faults + relationshipFaults }
        /// The number of saves to stores and to parents.
        public var saves = 0
        /// The numbers of objects that saves inserted, updated and deleted. A save through a parent counts in both contexts.
        public var changes = Instruments.Event.Changes()
        /// The total duration of outermost operations; concurrent ones are added.
        public var duration: Duration = .zero
        /// The total time that operations waited for connections and locks.
        public var waiting: Duration = .zero

        /// Creates totals of zero.
        public init() {}

        package mutating func add(_ record: EventRecord) {
            let event = Instruments.Event(record)
            events += 1
            statements += event.statementCount
            rows += record.rowCount
            if record.kind.reads, record.source == .store, !record.statements.isEmpty { queries += 1 }
            if event.isFetch, record.source != .parent { fetches += 1 }
            if event.isFault {
                switch (record.source, record.kind) {
                case (.memory, _): cacheHits += event.objects
                case (.store, .fault): faults += 1
                case (.store, _): relationshipFaults += 1
                case (.parent, _): break
                }
            }
            if record.kind == .save {
                saves += 1
                changes.inserted += record.changes.inserted
                changes.updated += record.changes.updated
                changes.deleted += record.changes.deleted
            }
            if record.parentNumber == 0 { duration += event.duration }
            waiting += event.waiting
        }

        /// Adds an event of faults fulfilled by values in memory.
        mutating func add(faults: Int) {
            events += 1
            cacheHits += faults
        }
    }
}
