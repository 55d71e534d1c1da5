import CoreDataRowStorage

/// A list of references for each of many rows.
package struct ReferenceLists {
    private var lists: [Int64: ContiguousArray<RowReference>] = [:]

    subscript(key: Int64) -> ContiguousArray<RowReference> { lists[key] ?? [] }

    package var all: [Int64: ContiguousArray<RowReference>] { lists }

    mutating func set(_ key: Int64, _ references: ContiguousArray<RowReference>) {
        lists[key] = references.isEmpty ? nil : references
    }

    mutating func removeList(of key: Int64) { lists[key] = nil }

    /// Applies many changes with one pass over each affected list.
    mutating func apply(_ edits: ReferenceEdits) {
        for (key, gone) in edits.removed {
            lists[key]?.removeAll { gone.contains($0) }
            if lists[key]?.isEmpty ?? false { lists[key] = nil }
        }
        for (key, added) in edits.added {
            let known = lists[key] ?? []
            if known.isEmpty {
                lists[key] = added.count > 1 ? Self.unique(added, beside: []) : added
            } else {
                lists[key, default: []].append(contentsOf: Self.unique(added, beside: known))
            }
        }
    }

    private static func unique(
        _ added: ContiguousArray<RowReference>, beside known: ContiguousArray<RowReference>
    ) -> ContiguousArray<RowReference> {
        if added.count == 1 { return known.contains(added[0]) ? [] : added }
        var seen = Set(known)
        return added.filter { seen.insert($0).inserted }
    }
}

/// Pending changes to ``ReferenceLists``.
struct ReferenceEdits {
    fileprivate var added: [Int64: ContiguousArray<RowReference>] = [:]
    fileprivate var removed: [Int64: Set<RowReference>] = [:]

    mutating func add(_ reference: RowReference, to key: Int64) { added[key, default: []].append(reference) }
    mutating func remove(_ reference: RowReference, from key: Int64) { removed[key, default: []].insert(reference) }
}
