import CoreDataRowStorage

extension Instruments.Event {
    /// What Core Data did.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A fetch of objects.
        case fetch
        /// A count of matching objects.
        case count
        /// A fetch of dictionaries.
        case dictionaries
        /// A fetch of object IDs.
        case objectIDs
        /// The rows of a batch of a fetch with `fetchBatchSize`, or of several faults at once.
        case batch
        /// A relationship of many objects, read at once.
        case prefetch
        /// One fault that was fulfilled, or several that followed each other and whose values were in memory.
        case fault
        /// The members of a to-many relationship of one object.
        case relationshipFault
        /// A save of a context, to stores or to its parent.
        case save
        /// Changes of another context or process, taken into a context.
        case merge
        /// Objects refreshed from the store.
        case refresh
        /// A batch insert request.
        case batchInsert
        /// A batch update request.
        case batchUpdate
        /// A batch delete request.
        case batchDelete
        /// A request for persistent history.
        case history
        /// Permanent IDs for new objects.
        case permanentIDs
        /// A migration of a store, or a step of one.
        case migration
        /// A group of records that was imported.
        case importChunk
        /// A store that was opened or made.
        case storeOpening
        /// A store that was closed.
        case storeClosing
        /// A piece of work that the program named.
        case work
        /// Statements outside of all other operations, and those that set up a connection.
        case maintenance
    }
}

extension Instruments.Event.Kind {
    init(_ kind: EventKind) {
        switch kind {
        case .fetch: self = .fetch
        case .count: self = .count
        case .dictionaries: self = .dictionaries
        case .objectIDs: self = .objectIDs
        case .batch: self = .batch
        case .prefetch: self = .prefetch
        case .fault: self = .fault
        case .relationshipFault: self = .relationshipFault
        case .save: self = .save
        case .merge: self = .merge
        case .refresh: self = .refresh
        case .batchInsert: self = .batchInsert
        case .batchUpdate: self = .batchUpdate
        case .batchDelete: self = .batchDelete
        case .history: self = .history
        case .permanentIDs: self = .permanentIDs
        case .migration: self = .migration
        case .importChunk: self = .importChunk
        case .storeOpening: self = .storeOpening
        case .storeClosing: self = .storeClosing
        case .work: self = .work
        case .maintenance: self = .maintenance
        }
    }
}
