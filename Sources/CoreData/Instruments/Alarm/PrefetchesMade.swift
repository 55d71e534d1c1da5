import CoreDataRowStorage

/// The relationships that fetches prefetched, by context and entity. Findings about them need another remedy.
struct PrefetchesMade {
    private struct Key: Hashable {
        let context: Int
        let entity: String
        let relationship: String
    }

    private var keys: Set<Key> = []

    private static let most = 4000

    mutating func note(_ record: EventRecord) {
        guard let entity = record.entity, let relationship = record.keyPath else { return }
        // Bounds the memory of a long recording.
        if keys.count >= Self.most { keys = [] }
        keys.insert(Key(context: record.context?.number ?? 0, entity: entity, relationship: relationship))
    }

    func include(_ relationship: String, of entity: String, in context: ContextLabel?) -> Bool {
        keys.contains(Key(context: context?.number ?? 0, entity: entity, relationship: relationship))
    }
}
