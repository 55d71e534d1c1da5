import CoreDataRowStorage

extension Instruments.Event {
    /// The kind of an operation.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A fetch of objects.
        case fetch
        /// A count of matching objects.
        case count
        /// A fetch of dictionaries.
        case dictionaries
        /// A fetch of object IDs.
        case objectIDs
        /// The loading of a batch of a fetch with `fetchBatchSize`, or of several faults at once.
        case batch
        /// The loading of a relationship of several objects at once.
        case prefetch
        /// A fulfilled fault, or several consecutive ones with values in memory.
        case fault
        /// The loading of a to-many relationship of one object.
        case relationshipFault
        /// A save of a context, to stores or to its parent.
        case save
        /// The merging of changes of another context or process into a context.
        case merge
        /// The refreshing of objects from the store.
        case refresh
        /// A batch insert request.
        case batchInsert
        /// A batch update request.
        case batchUpdate
        /// A batch delete request.
        case batchDelete
        /// A request for persistent history.
        case history
        /// The assignment of permanent IDs to new objects.
        case permanentIDs
        /// A migration of a store, or a step of one.
        case migration
        /// The import of a group of records.
        case importChunk
        /// The opening or creation of a store.
        case storeOpening
        /// The closing of a store.
        case storeClosing
        /// A unit of work named by the program.
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
