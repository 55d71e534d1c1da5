#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The comparison of the tables that a model needs with those that are there, in one round trip. Tables may have been dropped
/// or altered by hand.
struct SchemaCheck {
    /// A column that the model needs.
    private struct Column {
        let table: String
        let name: String
        let kind: CellKind
        let entity: String
        /// The attribute or relationship; nil for columns of every row.
        let property: String?

        var subject: String { property.map { "\(entity).\($0)" } ?? "the entity \(entity)" }
    }

    private let tables: PostgreSQLTables
    private var columns: [Column] = []

    /// - Parameter required: The numbers of the entities that the store needs tables for; empty for all.
    init(_ tables: PostgreSQLTables, required: Set<Int> = []) {
        self.tables = tables
        for layout in tables.layouts.all where required.isEmpty || required.contains(layout.number) { add(layout) }
    }

    /// Returns true if an error of the server may have its cause in the tables.
    static func mayExplain(_ error: PostgreSQLError) -> Bool {
        ["42P01", "42703", "42804", "42883", "42846", "42809", "42P10"].contains(error.state)
    }

    private mutating func add(_ layout: EntityLayout) {
        guard let place = try? tables.columns(of: layout) else { return }
        func add(_ name: String, _ kind: CellKind, _ property: String? = nil, of table: String? = nil) {
            columns.append(
                Column(table: table ?? place.table, name: name, kind: kind, entity: layout.name, property: property))
        }
        if layout.isRoot {
            add("id", .int64)
            add("version", .int64)
            if place.sharesTable { add("entity", .string) }
        }
        for (cell, column) in zip(layout.ownCells, place.own) {
            if let name = column.column { add(name, column.isInSeconds ? .double : cell.kind, cell.path) }
            if let order = column.order { add(order, .int64, cell.path) }
        }
        for relationship in layout.ownRelationships where relationship.isToMany && !relationship.isTransient {
            switch tables.columns(of: relationship, in: layout) {
            case .owned(let table, let column, let order)?:
                for name in [column, order].compactMap({ $0 }) { add(name, .int64, relationship.name, of: table) }
            case .join(let table, let source, let target, let order, let sourceOrder, _)?:
                for name in [source, target, order, sourceOrder].compactMap({ $0 }) {
                    add(name, .int64, relationship.name, of: table)
                }
            case .foreignKey?, nil: break
            }
        }
    }

    /// Columns of domains have the types of these. A table without a schema is in the store's, not in one that follows it in
    /// the search path.
    private static let statement = ServerStatement(
        """
        SELECT d.n, d.tab IS NOT NULL, a.attname IS NOT NULL, \
        (CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END)::bigint, format_type(t.oid, a.atttypmod)::text \
        FROM (SELECT to_regclass(coalesce(nullif(sch, ''), quote_ident(current_schema())) || '.' || tab) AS tab, col, n \
        FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS d(sch, tab, col, n)) d \
        LEFT JOIN pg_attribute a ON a.attrelid = d.tab AND a.attname = d.col AND NOT a.attisdropped \
        LEFT JOIN pg_type t ON t.oid = a.atttypid ORDER BY d.n
        """, isPrepared: false)

    /// Returns the error for what does not fit the model; nil if everything does.
    func failure(
        on connection: PostgreSQLConnection, place: String, underlying: PostgreSQLError? = nil, until deadline: Deadline
    ) throws -> NSError? {
        var parameters = ParameterList()
        parameters.add(columns.map { PostgreSQLName.schema(of: $0.table).map(PostgreSQLName.quoted) ?? "" })
        parameters.add(columns.map { PostgreSQLName.quoted(PostgreSQLName.unqualified($0.table)) })
        parameters.add(columns.map(\.name))
        var findings: [(column: Column, text: String)] = []
        var absent: Set<String> = []
        let request = PipelineRequest(Self.statement, parameters) { rows in
            for row in 0..<rows.count {
                let column = columns[Int(try rows.int64(row, 0)) - 1]
                let table = PostgreSQLName.quoted(tables.modelName(of: column.table))
                if try rows.int64(row, 1) == 0 {
                    guard absent.insert(table).inserted else { continue }
                    findings.append((column, "There is no table \(table) for \(column.subject)."))
                } else if try rows.int64(row, 2) == 0 {
                    findings.append(
                        (column, "The table \(table) has no column \(column.name) for \(column.subject)."))
                } else if !ColumnType.fits(UInt32(truncatingIfNeeded: try rows.int64(row, 3)), column.kind) {
                    let wanted = PostgreSQLName.type(of: column.kind) ?? "another type"
                    findings.append(
                        (
                            column,
                            "The column \(column.name) of the table \(table) is \(rows.text(row, 4)), and \(wanted) for "
                                + "\(column.subject)."
                        ))
                }
            }
        }
        try connection.run([request], until: deadline)
        guard let first = findings.first?.column else { return nil }
        var reason = findings.prefix(5).map(\.text).joined(separator: " ")
        if findings.count > 5 { reason += " There are \(findings.count - 5) other differences." }
        return CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError, description: "The tables in \(place) do not fit the model.",
            reason: reason,
            advice: "Undo what was changed by hand: `modelc ddl MODEL --dialect postgresql` prints the tables of the "
                + "model. Or restore the database from a backup.", entity: first.entity, key: first.property,
            underlying: underlying,
            userInfo: underlying.map { [ServerFailure.stateKey: $0.state] } ?? [:])
    }
}
#endif
