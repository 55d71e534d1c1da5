import CoreDataRowStorage

/// The rows for which triggers recomputed derived attributes, as the triggers report them.
///
/// Apple's triggers call a function that the framework registers: a connection without it cannot write to such a table.
final class DerivedChanges {
    @exclusivity(unchecked) private(set) var rows: ContiguousArray<RowReference> = []

    func note(entityNumber: Int64, key: Int64) {
        guard key > 0, entityNumber > 0, entityNumber < 1 << 15 else { return }
        rows.append(RowReference(entityNumber: Int(entityNumber), key: key))
    }

    func clear() {
        if !rows.isEmpty { rows.removeAll() }
    }
}
