import CoreDataRowStorage

/// The key paths prefetched by fetches, by context. Findings about them need another remedy.
struct PrefetchesMade {
    private struct Key: Hashable {
        let context: Int
        let entity: String
        let path: String

        init(_ way: ObjectWay, _ context: ContextLabel?) {
            self.context = context?.number ?? 0
            (entity, path) = (way.entity, way.path)
        }
    }

    private var keys: Set<Key> = []

    private static let most = 4000

    mutating func note(_ record: EventRecord) {
        guard let way = record.way else { return }
        // Limits the memory of a long recording.
        if keys.count >= Self.most { keys = [] }
        keys.insert(Key(way, record.context))
    }

    func include(_ way: ObjectWay, in context: ContextLabel?) -> Bool { keys.contains(Key(way, context)) }
}
