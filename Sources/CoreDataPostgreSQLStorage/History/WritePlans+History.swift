#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

extension WritePlans {
    /// Returns the attributes that history preserves when an object is deleted.
    static func preserved(_ layout: EntityLayout) -> [EntityLayout.Cell] {
        layout.cells.filter { $0.traits.contains(.keptInHistory) && !$0.isTransient }
    }

    /// Returns the statement that records the deletion of rows with the values that history preserves: its parameters are the
    /// key of the history transaction, and the keys of the rows. Returns nil if the entity has no such attribute.
    static func makeTombstones(of layout: EntityLayout, _ tables: PostgreSQLTables) throws -> ServerStatement? {
        let place = try tables.columns(of: layout)
        let values = preserved(layout).compactMap { cell in
            place.cells[cell.index].column.map { (cell, "t.\(PostgreSQLName.quoted($0))", place.cells[cell.index]) }
        }
        guard !values.isEmpty else { return nil }
        let names = values.map { PostgreSQLName.literal($0.0.path) }.joined(separator: ", ")
        let texts = values.map { Tombstone.text(of: $1, $0, isInSeconds: $2.isInSeconds) }.joined(separator: ", ")
        return ServerStatement(
            """
            INSERT INTO coredata_change (transaction, entity, key, kind, tombstone) \
            SELECT $1::bigint, \(PostgreSQLName.literal(layout.name)), t.id, \(HistoryChangeKind.delete.rawValue), \
            jsonb_strip_nulls(jsonb_object(ARRAY[\(names)], ARRAY[\(texts)])) \
            FROM \(PostgreSQLName.quoted(place.table)) t WHERE t.id = ANY ($2::bigint[]) ORDER BY t.id
            """)
    }

    /// Returns a statement that clears a relationship and records the rows that it clears. The last parameter is the key of
    /// the history transaction.
    ///
    /// - Parameter clearing: An `UPDATE` of the table of `layout` with two parameters.
    static func recording(
        _ clearing: String, of relationship: String, _ layout: EntityLayout, _ place: EntityColumns
    ) -> ServerStatement {
        let entity = place.sharesTable ? "entity" : PostgreSQLName.literal(layout.name)
        return ServerStatement(
            """
            WITH cleared AS (\(clearing) RETURNING id, \(entity) AS entity) \
            INSERT INTO coredata_change (transaction, entity, key, kind, properties) \
            SELECT $3::bigint, entity, id, \(HistoryChangeKind.update.rawValue), \
            ARRAY[\(PostgreSQLName.literal(relationship))] FROM cleared
            """)
    }
}
#endif
