import CoreDataSQLQueries
import CoreDataRowStorage

/// The statements that write rows, created once per entity and set of columns. Must be used with the writer lock held.
final class WritePlans: @unchecked Sendable {
    /// The `INSERT` of a row: parameters 1 to 3 are key, entity and version.
    final class Insert: Sendable {
        let sql: SQLText
        /// Inserts ``rowsAtOnce`` rows, in little more than half the time of as many single inserts. If one fails, those
        /// before it remain: their number identifies it.
        let sqlForSeveral: SQLText
        let rowsAtOnce: Int
        /// The number of parameters of a row.
        let width: Int32
        let binder: RowBinder
        let entityNumber: Int64

        /// The maximum number of parameters. Below the smallest limit that SQLite is built with.
        private static let mostParameters = 999

        init(_ layout: EntityLayout, _ columns: EntityColumns, entityNumber: Int) {
            binder = RowBinder(layout, columns: columns, cells: layout.cells.indices, firstParameter: 4)
            let names = ["Z_PK", "Z_ENT", "Z_OPT"] + binder.columns
            let marks = "(\(Array(repeating: "?", count: names.count).joined(separator: ", ")))"
            let rest = "INTO \(columns.table) (\(names.joined(separator: ", "))) VALUES "
            rowsAtOnce = max(1, min(16, Self.mostParameters / names.count))
            sql = SQLText("INSERT \(rest)\(marks)")
            sqlForSeveral = SQLText(
                "INSERT OR FAIL \(rest)\(Array(repeating: marks, count: rowsAtOnce).joined(separator: ", "))")
            width = Int32(names.count)
            self.entityNumber = Int64(entityNumber)
        }
    }

    /// The `UPDATE` of some columns of a row if it still has the known version; parameter 1 is the new version, the key and
    /// the known version come last.
    final class Update: Sendable {
        let sql: SQLText
        let binder: RowBinder
        /// Reads the columns that may refer to external files, before they are overwritten.
        let files: SQLText?
        let fileColumns: Int

        init(_ layout: EntityLayout, _ columns: EntityColumns, cells: [Int]) {
            binder = RowBinder(layout, columns: columns, cells: cells, firstParameter: 2)
            var assignments = ["Z_OPT = ?"] + binder.columns.map { "\($0) = ?" }
            // An order key has no meaning under another owner; the order is written afterwards.
            for cell in cells {
                if let order = columns.cells[cell].order { assignments.append("\(order) = NULL") }
            }
            sql = SQLText(
                "UPDATE \(columns.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
            )
            let external = binder.externalCells.compactMap { columns.cells[$0].column }
            fileColumns = external.count
            files =
                external.isEmpty
                ? nil : SQLText("SELECT \(external.joined(separator: ", ")) FROM \(columns.table) WHERE Z_PK = ?")
        }
    }

    /// The `DELETE` of a row and of its dependent rows.
    final class Delete: Sendable {
        let sql: SQLText
        /// Deletes all rows of a list that have one version; nil if a row needs further statements.
        let sqlForSeveral: SQLText?
        let version: SQLText
        let files: SQLText?
        let fileColumns: Int
        /// The statements with the key of the deleted row as their only parameter.
        let relatives: [SQLText]
        /// The columns that may still refer to deleted rows.
        let references: [Reference]

        /// A column of to-one relationships, the inverse of a relationship of the deleted row.
        struct Reference: Sendable {
            let name: String
            /// The statements have an array of the deleted keys as their only parameter.
            let sources: SQLText
            let clearing: SQLText
        }

        init(_ layout: EntityLayout, _ columns: EntityColumns, _ schema: SQLSchema) {
            sql = SQLText("DELETE FROM \(columns.table) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?")
            version = SQLText("SELECT Z_OPT FROM \(columns.table) WHERE Z_PK = ?")
            let external = columns.cells.compactMap { $0.isExternal ? $0.column : nil }
            fileColumns = external.count
            files =
                external.isEmpty
                ? nil : SQLText("SELECT \(external.joined(separator: ", ")) FROM \(columns.table) WHERE Z_PK = ?")
            var relatives: [String] = []
            for relationship in layout.relationships {
                switch schema.columns(of: relationship, in: layout) {
                case .join(let table, let source, let target, _, _, let isReflexive):
                    relatives.append("DELETE FROM \(table) WHERE \(source) = ?")
                    if isReflexive { relatives.append("DELETE FROM \(table) WHERE \(target) = ?") }
                case .owned(let table, let column, let order):
                    let position = order.map { ", \($0) = NULL" } ?? ""
                    relatives.append("UPDATE \(table) SET \(column) = NULL\(position) WHERE \(column) = ?")
                case .foreignKey, nil: break
                }
            }
            self.relatives = relatives.map(SQLText.init)
            references = layout.relationships.compactMap { Self.reference($0, schema) }
            sqlForSeveral =
                relatives.isEmpty && external.isEmpty
                ? SQLText(
                    "DELETE FROM \(columns.table) WHERE Z_PK IN (SELECT value FROM CDArray(?)) AND IFNULL(Z_OPT, 0) = ?"
                ) : nil
        }

        private static func reference(_ relationship: EntityLayout.Relationship, _ schema: SQLSchema) -> Reference? {
            guard relationship.deleteRule != .noAction, let inverse = relationship.inverse,
                !inverse.isToMany, let destination = schema.layouts.byNumber[relationship.destinationNumber],
                case .cell(let cell)? = destination.members[inverse.name],
                let mapping = schema.entities[destination.number], let column = mapping.cells[cell].column
            else { return nil }
            let cleared = [column, mapping.cells[cell].entityColumn, mapping.cells[cell].order].compactMap { $0 }
            let assignments = cleared.map { "\($0) = NULL" }.joined(separator: ", ")
            let condition = "WHERE \(column) IN (SELECT value FROM CDArray(?))"
            return Reference(
                name: inverse.name, sources: SQLText("SELECT Z_ENT, Z_PK FROM \(mapping.table) \(condition)"),
                clearing: SQLText(
                    "UPDATE \(mapping.table) SET \(assignments), Z_OPT = IFNULL(Z_OPT, 0) + 1 \(condition)"))
        }
    }

    private struct UpdateKey: Hashable {
        var number: Int
        var changed: ContiguousArray<UInt64>
    }

    private let schema: SQLSchema
    // With capacity reserved: growing a table makes the runtime search the whole program for the key's conformance, the first
    // time.
    @exclusivity(unchecked) private var inserts = [Int: Insert](minimumCapacity: 6)
    @exclusivity(unchecked) private var deletes = [Int: Delete](minimumCapacity: 6)
    @exclusivity(unchecked) private var updates: [UpdateKey: Update] = [:]

    init(schema: SQLSchema) { self.schema = schema }

    private func columns(_ layout: EntityLayout) -> EntityColumns {
        guard let columns = schema.entities[layout.number] else {
            fatalError("The entity \(layout.name) is not one of the store's model.")
        }
        return columns
    }

    func insert(_ layout: EntityLayout) -> Insert {
        if let plan = inserts[layout.number] { return plan }
        let plan = Insert(layout, columns(layout), entityNumber: schema.numbering.inFile[layout.number])
        inserts[layout.number] = plan
        return plan
    }

    func delete(_ layout: EntityLayout) -> Delete {
        if let plan = deletes[layout.number] { return plan }
        let plan = Delete(layout, columns(layout), schema)
        deletes[layout.number] = plan
        return plan
    }

    /// Returns the cached `UPDATE` for a set of changed columns.
    ///
    /// - Parameter changed: one bit per slot, as in a changed object's row.
    func update(_ layout: EntityLayout, changed: ContiguousArray<UInt64>) -> Update {
        let key = UpdateKey(number: layout.number, changed: changed)
        if let plan = updates[key] { return plan }
        let cells = layout.cells.indices.filter { changed[$0 >> 6] & (1 << UInt64($0 & 63)) != 0 }
        let plan = Update(layout, columns(layout), cells: cells)
        if updates.count >= 1000 { updates.removeAll() }
        updates[key] = plan
        return plan
    }
}
