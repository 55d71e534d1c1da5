#if PostgreSQL
import CoreDataRowStorage

/// The keys of the rows that a transaction writes, by the entity's number, for derived attributes.
struct TouchedRows {
    var inserted: [Int: [Int64]] = [:]
    var updated: [Int: [Int64]] = [:]
    var deleted: [Int: [Int64]] = [:]
    /// The slots that are changed in any of the updated rows of an entity.
    var changedCells: [Int: Set<Int>] = [:]
    /// The owners of changed links, by entity and name of the relationship.
    var linked: [Link: [Int64]] = [:]

    struct Link: Hashable {
        var number: Int
        var relationship: String
    }

    /// Returns the keys of rows of an entity and its subentities.
    static func keys(_ rows: [Int: [Int64]], of layout: EntityLayout) -> [Int64] {
        layout.familyNumbers.flatMap { rows[$0] ?? [] }
    }

    /// Returns the keys of updated rows of an entity and its subentities in which one of the slots may have changed.
    func updatedKeys(of layout: EntityLayout, in cells: Set<Int>) -> [Int64] {
        layout.familyNumbers.flatMap { number in
            changedCells[number].map { !$0.isDisjoint(with: cells) } ?? false ? updated[number] ?? [] : []
        }
    }
}

extension SaveOperation {
    var touchedRows: TouchedRows {
        var touched = TouchedRows()
        func key(_ row: StoreChanges.Row) -> Int64 { row.key < 0 ? keys.keys[row.key] ?? 0 : row.key }
        for group in changes.inserts { touched.inserted[group.layout.number, default: []] += group.rows.map(key) }
        for group in changes.deletes { touched.deleted[group.layout.number, default: []] += group.rows.map(\.key) }
        for group in changes.updates {
            let number = group.layout.number
            touched.updated[number, default: []] += group.rows.map(\.key)
            for row in group.rows {
                for word in 0..<group.layout.bitWords {
                    var bits = (row.row + group.layout.changedOffset).load(fromByteOffset: word * 8, as: UInt64.self)
                    while bits != 0 {
                        touched.changedCells[number, default: []].insert(word * 64 + bits.trailingZeroBitCount)
                        bits &= bits - 1
                    }
                }
            }
        }
        for change in changes.toMany {
            let link = TouchedRows.Link(number: change.layout.root.number, relationship: change.relationship.name)
            if let source = keys.key(of: change.source) { touched.linked[link, default: []].append(source) }
            guard let inverse = change.relationship.inverse,
                let other = engine.layouts.byNumber[change.relationship.destinationNumber]
            else { continue }
            let back = TouchedRows.Link(number: other.root.number, relationship: inverse.name)
            touched.linked[back, default: []] += (change.added + change.removed).compactMap { keys.key(of: $0) }
        }
        return touched
    }
}
#endif
