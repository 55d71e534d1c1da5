#if PostgreSQL
import CoreDataRowStorage

/// Keys and entities of rows, checked where they are decoded.
extension ServerRows {
    /// Returns a primary key.
    @inline(__always)
    func key(_ row: Int, _ column: Int) throws -> Int64 {
        let key = try int64(row, column)
        guard RowReference.isKey(key) else { throw BinaryValue.unreadable("the key \(key)") }
        return key
    }

    /// Returns the entity that a column names.
    func entity(_ row: Int, _ column: Int, _ layouts: ModelLayouts) throws -> EntityLayout {
        let name = text(row, column)
        guard let layout = layouts.byName[name] else { throw BinaryValue.unreadable("the entity “\(name)”") }
        return layout
    }

    /// Returns the reference of a row.
    ///
    /// - Parameters:
    ///   - entityColumn: The column with the name of the entity; nil if only `layout` is possible.
    func reference(
        _ row: Int, key keyColumn: Int = 0, entity entityColumn: Int?, of layout: EntityLayout, _ layouts: ModelLayouts
    ) throws -> RowReference {
        let key = try key(row, keyColumn)
        guard let entityColumn else { return RowReference(entityNumber: layout.number, key: key) }
        return RowReference(entityNumber: try entity(row, entityColumn, layouts).number, key: key)
    }
}
#endif
