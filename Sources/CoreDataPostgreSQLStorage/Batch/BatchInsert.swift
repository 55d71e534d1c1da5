#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A batch insert: rows in arrays, some thousand in a statement, or by `COPY`.
///
/// Without a rule for rows that violate a uniqueness constraint, the batch is one round trip, or three if it copies. With one, the rows that exist
/// are looked up first, because `ON CONFLICT` cannot use constraints that are checked at the end of a transaction.
struct BatchInsert {
    private let layout: EntityLayout
    private let columns: EntityColumns
    private let table: BatchTable
    private let missing: [Int: String]
    private let keys: [Int64]
    private let rule: BatchConflictRule
    private let constraints: [BatchConstraint]
    private let dialect: any SQLDialect
    /// The value of the entity column.
    private let entity: SQLFragment

    /// The number of rows in a statement.
    private static let rowsAtOnce = 2000

    /// True if rows that violate a uniqueness constraint are skipped or overwrite others.
    var resolvesConflicts: Bool { rule != .fail && !constraints.isEmpty }

    /// Reads the rows, and reserves their keys.
    init(_ rows: BatchRows, _ layout: EntityLayout, _ rule: BatchConflictRule, _ engine: PostgreSQLEngine) throws {
        self.layout = layout
        self.rule = rule
        columns = try engine.tables.columns(of: layout)
        dialect = engine.tables.dialect
        entity = dialect.entity(layout, engine.tables)
        let empty = try BatchRowReader(layout, keepsMissing: false, engine)
        constraints = try BatchConstraint.all(of: layout, empty.table.columns, engine)
        var reader = try BatchRowReader(
            layout, keepsMissing: rule == .overwriteGiven && !constraints.isEmpty, engine)
        try reader.read(rows)
        table = reader.table
        missing = reader.missing
        keys = table.count > 0 ? Array(try engine.reserveKeys(count: table.count, of: layout)) : []
    }

    /// Inserts the rows.
    func run(_ transaction: BatchTransaction) throws {
        guard table.count > 0 else { return }
        guard resolvesConflicts else {
            let rows = ContiguousArray(keys.map { RowReference(entityNumber: layout.number, key: $0) })
            let touched = TouchedRows(inserted: [layout.number: keys])
            if transaction.copiesRows, table.count >= CopiedRows.lowestCount {
                try transaction.copy(copiedRows)
                return try transaction.finish([], touching: touched, rows: rows)
            }
            return try transaction.finish(
                inserts(Array(0..<table.count), of: table, versions: nil), touching: touched, rows: rows)
        }
        var resolution = BatchResolution(table, keys, layout, rule)
        try resolution.lookUp(constraints, columns, in: transaction)
        let plan = try resolution.plan(missing)
        try transaction.finish(
            inserts(plan.inserts, of: plan.table, versions: plan.versions) + updates(plan), touching: touched(plan),
            rows: plan.written)
    }

    private func touched(_ plan: BatchResolution.Plan) -> TouchedRows {
        var touched = TouchedRows(inserted: [layout.number: plan.inserts.map { keys[$0] }])
        let cells = Set(plan.table.columns.map(\.cell.index))
        for update in plan.updates {
            touched.updated[update.reference.entityNumber, default: []].append(update.reference.key)
            touched.changedCells[update.reference.entityNumber] = cells
        }
        return touched
    }

    // MARK: Statements

    /// All rows, for `COPY`.
    private var copiedRows: CopiedRows {
        let name = columns.sharesTable ? Array(layout.name.utf8) : nil
        let own = name == nil ? ["id", "version"] : ["id", "version", "entity"]
        let names = own + table.columns.map { PostgreSQLName.quoted($0.name) }
        var copied = CopiedRows(into: PostgreSQLName.quoted(columns.table), names)
        copied.add { writer in
            for row in 0..<table.count {
                writer.int16(Int16(names.count))
                for number in [keys[row], 1] {
                    writer.int32(8)
                    writer.int64(number)
                }
                if let name { writer.element { $0.bytes += name } }
                for column in table.columns.indices { table.write(row, column, to: &writer) }
            }
        }
        copied.end()
        return copied
    }

    /// Returns the statements that insert some rows.
    ///
    /// - Parameter versions: The version of each row of the table; nil if all are 1.
    private func inserts(_ rows: [Int], of table: BatchTable, versions: [Int64]?) -> [PipelineRequest] {
        var names: [SQLFragment] = [dialect.keyColumn, "version"]
        var values: [SQLFragment] = ["d.id", "d.version"]
        if columns.sharesTable {
            names.append(dialect.entityColumn)
            values.append(entity)
        }
        for (index, column) in table.columns.enumerated() {
            names.append(dialect.identifier(column.name))
            values.append("d.c\(raw: index)")
        }
        let aliases = table.columns.indices.map { ", c\($0)" }.joined()
        let types = table.columns.enumerated().map { ", $\($0 + 3)::\($1.typeName)[]" }.joined()
        let sql: SQLFragment =
            """
            INSERT INTO \(dialect.identifier(columns.table)) (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) \
            FROM unnest($1::bigint[], $2::bigint[]\(raw: types)) AS d(id, version\(raw: aliases))
            """
        let statement = ServerStatement(sql.statement(in: dialect).text, isPrepared: false)
        return chunks(of: rows).map { rows in
            var parameters = ParameterList()
            parameters.add(rows.map { keys[$0] })
            parameters.add(rows.map { versions?[$0] ?? 1 })
            for column in table.columns.indices { table.add(column, of: rows, to: &parameters) }
            return PipelineRequest(statement, parameters)
        }
    }

    /// Returns the statements that overwrite rows: one for each set of columns that rows give.
    private func updates(_ plan: BatchResolution.Plan) -> [PipelineRequest] {
        let groups = Dictionary(grouping: plan.updates) { plan.table.given(by: $0.row) }
        return groups.values.flatMap { updates in
            let given = plan.table.columns.indices.filter { plan.table.gives(updates[0].row, $0) }
            return chunks(of: updates).map { update($0, of: given, plan.table) }
        }
    }

    private func update(
        _ updates: ArraySlice<BatchResolution.Update>, of given: [Int], _ table: BatchTable
    ) -> PipelineRequest {
        var assignments: [SQLFragment] = ["version = t.version + d.steps"]
        for (position, index) in given.enumerated() {
            assignments.append("\(dialect.identifier(table.columns[index].name)) = d.c\(raw: position)")
        }
        let aliases = given.indices.map { ", c\($0)" }.joined()
        let types = given.enumerated().map { ", $\($0 + 3)::\(table.columns[$1].typeName)[]" }.joined()
        let sql: SQLFragment =
            """
            UPDATE \(dialect.identifier(columns.table)) AS t SET \(assignments.joined(separator: ", ")) \
            FROM unnest($1::bigint[], $2::bigint[]\(raw: types)) AS d(id, steps\(raw: aliases)) WHERE t.id = d.id
            """
        var parameters = ParameterList()
        parameters.add(updates.map(\.reference.key))
        parameters.add(updates.map(\.steps))
        for column in given { table.add(column, of: updates.map(\.row), to: &parameters) }
        return PipelineRequest(ServerStatement(sql.statement(in: dialect).text, isPrepared: false), parameters)
    }

    private func chunks<Element>(of elements: [Element]) -> [ArraySlice<Element>] {
        stride(from: 0, to: elements.count, by: Self.rowsAtOnce).map {
            elements[$0..<min($0 + Self.rowsAtOnce, elements.count)]
        }
    }
}
#endif
