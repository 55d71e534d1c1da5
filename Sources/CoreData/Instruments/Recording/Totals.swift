import CoreDataRowStorage

extension Instruments.Recording {
    /// Sums over the operations of a recording, those that were not kept included.
    public struct Totals: Hashable, Sendable {
        /// Operations of any kind.
        public var events = 0
        /// SQL statements, those that begin and end transactions included.
        public var statements = 0
        /// Operations that asked a store for rows: fetches, counts, batches, prefetches, and faults. What a save writes is no
        /// query.
        public var queries = 0
        /// Rows read from stores.
        public var rows = 0
        /// Fetches of objects, dictionaries and object IDs, and counts.
        public var fetches = 0
        /// Faults of objects that the store had to be asked for.
        public var faults = 0
        /// To-many relationships that the store had to be asked for.
        public var relationshipFaults = 0
        /// Faults that values in memory fulfilled.
        public var cacheHits = 0
        /// Faults of any kind that the store had to be asked for.
        public var cacheMisses: Int { faults + relationshipFaults }
        /// Saves, to stores and to parents.
        public var saves = 0
        /// Objects that saves inserted, updated and deleted. A save through a parent counts in both.
        public var changes = Instruments.Event.Changes()
        /// How long outermost operations took altogether; operations at the same time each count.
        public var duration: Duration = .zero
        /// How long operations waited for their turn.
        public var waiting: Duration = .zero

        /// Creates totals of nothing.
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

        /// Adds an event for faults that values in memory fulfilled.
        mutating func add(faults: Int) {
            events += 1
            cacheHits += faults
        }
    }
}
