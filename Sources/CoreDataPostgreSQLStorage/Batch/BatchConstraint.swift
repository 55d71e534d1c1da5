#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A uniqueness constraint that rows of a batch insert may violate.
struct BatchConstraint {
    /// The indexes of the columns: several for a composite attribute.
    private let properties: [[Int]]
    private var indexes: [Int] { properties.flatMap { $0 } }

    /// Returns the constraints of all entities that share the table of an entity. Those of properties that no row of the
    /// batch has a value for cannot be violated.
    static func all(
        of layout: EntityLayout, _ columns: [BatchColumn], _ engine: PostgreSQLEngine
    ) throws -> [BatchConstraint] {
        let schema = PostgreSQLSchema(engine.tables)
        let positions = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })
        var seen: Set<String> = []
        return try layout.root.familyNumbers.compactMap { engine.layouts.byNumber[$0] }
            .flatMap { try schema.uniqueness(of: $0) }
            .compactMap { constraint in
                guard seen.insert(constraint.name).inserted else { return nil }
                let properties = constraint.columns.map { $0.compactMap { positions[$0] } }
                guard zip(properties, constraint.columns).allSatisfy({ $0.count == $1.count }) else { return nil }
                return BatchConstraint(properties: properties)
            }
    }

    /// Returns the statement that finds, for each row of a batch, the first row of the batch with the same values, and the
    /// stored row with these, which it locks. Rows without either are left out.
    ///
    /// The columns are the number of the row, from 1, the number of the first row, the key, and the entity's name if entities
    /// share the table.
    func lookUp(_ table: BatchTable, _ columns: EntityColumns, _ dialect: any SQLDialect) -> PipelineRequest {
        let aliases = indexes.map { "c\($0)" }.joined(separator: ", ")
        let types = indexes.enumerated().map { "$\($0 + 1)::\(table.columns[$1].typeName)[]" }.joined(separator: ", ")
        var matches: [SQLFragment] = []
        var presences: [SQLFragment] = []
        for property in properties {
            let isWhole = property.count > 1
            for index in property {
                let name = dialect.identifier(table.columns[index].name)
                matches.append("t.\(name) \(raw: isWhole ? "IS NOT DISTINCT FROM" : "=") d.c\(raw: index)")
            }
            presences.append("(\(raw: property.map { "d.c\($0) IS NOT NULL" }.joined(separator: " OR ")))")
        }
        let match = matches.joined(separator: " AND ")
        let entity: SQLFragment = columns.sharesTable ? ", t.\(dialect.entityColumn)" : ""
        let given: SQLFragment = columns.sharesTable ? ", q.\(dialect.entityColumn)" : ""
        let selected: [SQLFragment] = indexes.map { "t.\(dialect.identifier(table.columns[$0].name))" }
        let sql: SQLFragment =
            """
            WITH d AS MATERIALIZED (SELECT * FROM unnest(\(raw: types)) WITH ORDINALITY AS d(\(raw: aliases), n) \
            WHERE \(presences.joined(separator: " AND "))), \
            t AS MATERIALIZED (SELECT t.\(dialect.keyColumn)\(entity), \(selected.joined(separator: ", ")) \
            FROM \(dialect.identifier(columns.table)) t WHERE EXISTS (SELECT 1 FROM d WHERE \(match)) FOR UPDATE OF t) \
            SELECT q.n, q.first, q.\(dialect.keyColumn)\(given) FROM (\
            SELECT d.n, min(d.n) OVER (PARTITION BY \(raw: indexes.map { "d.c\($0)" }.joined(separator: ", "))) AS first, \
            t.\(dialect.keyColumn)\(entity) FROM d LEFT JOIN t ON \(match)) q \
            WHERE q.\(dialect.keyColumn) IS NOT NULL OR q.first <> q.n ORDER BY q.n
            """
        var parameters = ParameterList()
        for index in indexes { table.add(index, of: 0..<table.count, to: &parameters) }
        return PipelineRequest(ServerStatement(sql.statement(in: dialect).text, isPrepared: false), parameters)
    }
}
#endif
