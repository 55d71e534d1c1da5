import Foundation

/// Collects what a rescue corrects and loses.
final class RescueNotes {
    fileprivate struct Kind: Hashable {
        let entity: String?
        let property: String?
        let message: String
        let isLoss: Bool
    }

    /// The notes at one moment.
    struct State {
        fileprivate var kinds: [Kind] = []
        fileprivate var rows: [Kind: (count: Int, keys: [Int64])] = [:]
        fileprivate var mended: [String: KeySet] = [:]
        fileprivate var lost: [String: KeySet] = [:]
    }

    /// Everything collected. Can be set back to an earlier value.
    var state = State()
    /// The keys of changed rows, by entity.
    var mended: [String: KeySet] { state.mended }
    /// The keys of lost rows, by entity.
    var lost: [String: KeySet] { state.lost }

    /// Adds a row to a note, and counts it as mended unless it is lost.
    func add(
        _ message: String, entity: String? = nil, property: String? = nil, key: Int64? = nil, count: Int = 1,
        isLoss: Bool = false, isMended: Bool = true
    ) {
        let kind = Kind(entity: entity, property: property, message: message, isLoss: isLoss)
        if state.rows[kind] == nil { state.kinds.append(kind) }
        state.rows[kind, default: (0, [])].count += count
        if let key, state.rows[kind, default: (0, [])].keys.count < StoreFinding.keyLimit {
            state.rows[kind, default: (0, [])].keys.append(key)
        }
        if let entity, let key, isMended { state.mended[entity, default: KeySet()].insert(key) }
    }

    /// Counts a row as lost.
    func lose(_ key: Int64, of entity: String) { state.lost[entity, default: KeySet()].insert(key) }

    var notes: [RescueReport.Note] {
        state.kinds.map { kind in
            let entry = state.rows[kind] ?? (0, [])
            return RescueReport.Note(
                entity: kind.entity, property: kind.property, keys: entry.keys, count: entry.count,
                message: kind.message, isLoss: kind.isLoss)
        }
    }
}
