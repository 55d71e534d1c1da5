/// The kind of an operation; the cases of `Instruments.Event.Kind`, where they are documented.
@usableFromInline
package enum EventKind: String, Sendable {
    case fetch, count, dictionaries, objectIDs, batch, prefetch, fault, relationshipFault
    case save, merge, refresh, batchInsert, batchUpdate, batchDelete, history, permanentIDs
    case migration, importChunk, storeOpening, storeClosing, work, maintenance

    /// Whether the operation returns objects, which it may also fill.
    package var makesObjects: Bool { self == .fetch || self == .batch || self == .prefetch }
    /// Whether a program's fetch request caused it.
    package var isFetch: Bool { self == .fetch || self == .count || self == .dictionaries || self == .objectIDs }
    /// Whether the operation only reads rows.
    package var reads: Bool {
        switch self {
        case .fetch, .count, .dictionaries, .objectIDs, .batch, .prefetch, .fault, .relationshipFault: true
        default: false
        }
    }
}

/// The source of an operation's result.
package enum EventSource: Sendable {
    case store, memory, parent
}

/// The numbers of objects or rows that an operation changed.
package struct EventChanges: Sendable {
    package var inserted = 0
    package var updated = 0
    package var deleted = 0

    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// The total of all changes.
    package var total: Int { inserted + updated + deleted }
}
