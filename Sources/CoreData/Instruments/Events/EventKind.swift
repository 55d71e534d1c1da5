/// What an operation does; the cases of `Instruments.Event.Kind`, where they are described.
enum EventKind: String, Sendable {
    case fetch, count, dictionaries, objectIDs, batch, prefetch, fault, relationshipFault
    case save, merge, refresh, batchInsert, batchUpdate, batchDelete, history, permanentIDs
    case migration, importChunk, storeOpening, storeClosing, work, maintenance

    /// Whether the operation returns objects, which it may fill itself.
    var makesObjects: Bool { self == .fetch || self == .batch || self == .prefetch }
    /// Whether a program's fetch request asks for it.
    var isFetch: Bool { self == .fetch || self == .count || self == .dictionaries || self == .objectIDs }
    /// Whether the operation reads rows only.
    var reads: Bool {
        switch self {
        case .fetch, .count, .dictionaries, .objectIDs, .batch, .prefetch, .fault, .relationshipFault: true
        default: false
        }
    }
}

/// Where the result of an operation came from.
enum EventSource: Sendable {
    case store, memory, parent
}

/// How many objects or rows an operation changed.
struct EventChanges: Sendable {
    var inserted = 0
    var updated = 0
    var deleted = 0

    /// All of them.
    var total: Int { inserted + updated + deleted }
}
