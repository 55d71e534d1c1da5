/// What an operation does; the cases of `Instruments.Event.Kind`, where they are described.
@usableFromInline
package enum EventKind: String, Sendable {
    case fetch, count, dictionaries, objectIDs, batch, prefetch, fault, relationshipFault
    case save, merge, refresh, batchInsert, batchUpdate, batchDelete, history, permanentIDs
    case migration, importChunk, storeOpening, storeClosing, work, maintenance

    /// Whether the operation returns objects, which it may fill itself.
    package var makesObjects: Bool { self == .fetch || self == .batch || self == .prefetch }
    /// Whether a program's fetch request asks for it.
    package var isFetch: Bool { self == .fetch || self == .count || self == .dictionaries || self == .objectIDs }
    /// Whether the operation reads rows only.
    package var reads: Bool {
        switch self {
        case .fetch, .count, .dictionaries, .objectIDs, .batch, .prefetch, .fault, .relationshipFault: true
        default: false
        }
    }
}

/// Where the result of an operation came from.
package enum EventSource: Sendable {
    case store, memory, parent
}

/// How many objects or rows an operation changed.
package struct EventChanges: Sendable {
    package var inserted = 0
    package var updated = 0
    package var deleted = 0

    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// All of them.
    package var total: Int { inserted + updated + deleted }
}
