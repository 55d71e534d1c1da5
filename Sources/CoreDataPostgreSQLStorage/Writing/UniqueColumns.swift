#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The columns of a uniqueness constraint, with the query for rows that have the values of others.
struct UniqueColumns {
    let encoders: [ColumnEncoder]
    /// Selects the numbers of passed rows, from 1, with the keys and entities of stored rows that have their values.
    /// Parameter 1 is the list of the keys to leave out; one array for each column follows.
    let query: String
    /// The positions of the columns of each property: several for a composite attribute.
    private let parts: [Range<Int>]

    init(_ constraint: PostgreSQLSchema.Constraint, _ tables: PostgreSQLTables) throws {
        let layout = constraint.entity
        let place = try tables.columns(of: layout)
        var encoders: [ColumnEncoder] = []
        var parts: [Range<Int>] = []
        var conditions: [String] = []
        for columns in constraint.columns {
            let start = encoders.count
            for column in columns {
                guard let index = place.cells.firstIndex(where: { $0.column == column }),
                    let encoder = try ColumnEncoder(layout.cells[index], place.cells[index])
                else { continue }
                // Composites are equal if their elements are, nil being equal to nil.
                let isWhole = columns.count > 1
                conditions.append(
                    "t.\(encoder.column) \(isWhole ? "IS NOT DISTINCT FROM" : "=") d.c\(encoders.count)")
                encoders.append(encoder)
            }
            parts.append(start..<encoders.count)
            if columns.count > 1 {
                let presence = encoders[start...].map { "t.\($0.column) IS NOT NULL" }.joined(separator: " OR ")
                conditions.append("(\(presence))")
            }
        }
        self.encoders = encoders
        self.parts = parts
        let arrays = encoders.enumerated().map { "$\($0 + 2)::\($1.typeName)[]" }.joined(separator: ", ")
        let names = encoders.indices.map { "c\($0)" }.joined(separator: ", ")
        query =
            "SELECT d.n, t.id\(place.sharesTable ? ", t.entity" : "") "
            + "FROM unnest(\(arrays)) WITH ORDINALITY AS d(\(names), n) "
            + "JOIN \(PostgreSQLName.quoted(place.table)) t ON \(conditions.joined(separator: " AND ")) "
            + "WHERE NOT t.id = ANY ($1::bigint[]) ORDER BY d.n, t.id"
    }

    /// Returns the values of rows as bytes, equal for rows that violate the constraint together; nil for rows to which it
    /// does not apply, because a value is nil.
    func values(of rows: [StoreChanges.Row], _ keys: KeyAssignment, of layout: EntityLayout) throws -> [[UInt8]?] {
        try rows.map { row in
            for part in parts where !part.contains(where: { EntityLayout.isPresent(row.row, encoders[$0].cell) }) {
                return nil
            }
            var list = ParameterList()
            for encoder in encoders { try encoder.add(CollectionOfOne(row), of: layout, to: &list, keys) }
            return list.allBytes
        }
    }
}
#endif
