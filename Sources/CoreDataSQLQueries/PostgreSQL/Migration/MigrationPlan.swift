import CoreDataRowStorage

/// The making of a migration's statements, by phases.
final class MigrationPlan {
    /// The order of the statements.
    enum Phase: Int, CaseIterable {
        /// Constraints and indexes that do not continue are dropped.
        case clearing
        /// Tables without rows that continue are dropped.
        case discarding
        case renaming
        /// Tables and columns are created.
        case adding
        /// Rows are copied to new tables.
        case moving
        case values
        case types
        case links
        /// Links to objects that do not continue are removed.
        case settling
        case removing
        case dropping
        case derivation
        case constraints
        case indexes
    }

    let models: LayoutCorrespondence
    let old: PostgreSQLTables
    let new: PostgreSQLTables
    let oldSchema: PostgreSQLSchema
    let newSchema: PostgreSQLSchema
    private(set) var oldTables: [OldTable] = []
    private(set) var changes: [TableChange] = []
    private(set) var joins: [JoinChange] = []
    /// The present names of tables and columns once they are renamed.
    private var tableNames: [String: String] = [:]
    private var columnNames: [String: [String: String]] = [:]
    /// The new columns that other statements than the creation of their table write.
    private(set) var written: [String: Set<String>] = [:]
    private(set) var touched: Set<String> = []
    /// The derived attributes that are computed for all rows.
    private(set) var derived: [String] = []
    private var made: [Phase: [PostgreSQLMigration.Statement]] = [:]
    private var spareCount = 0

    init(_ models: LayoutCorrespondence, from old: PostgreSQLTables, to new: PostgreSQLTables) throws {
        self.models = models
        self.old = old
        self.new = new
        oldSchema = PostgreSQLSchema(old)
        newSchema = PostgreSQLSchema(new)
        oldTables = try old.layouts.all.filter(\.isRoot).map { try OldTable($0, oldSchema) }
        changes = try new.layouts.all.filter(\.isRoot).map { try TableChange($0, self) }
        for table in oldTables { table.chooseSuccessor(models) }
        for change in changes { try change.findSources(self) }
        for change in changes { change.claimColumns() }
        for join in newSchema.joins { if let change = JoinChange(join, self) { joins.append(change) } }
    }

    var statements: [PostgreSQLMigration.Statement] { Phase.allCases.flatMap { made[$0] ?? [] } }

    // MARK: Looking

    func oldTable(of layout: EntityLayout) -> OldTable? { oldTables.first { $0.root === layout.root } }
    func change(of layout: EntityLayout) -> TableChange? { changes.first { $0.root === layout.root } }

    /// Returns the old entities of the objects of an entity of the destination.
    func formerFamily(of layout: EntityLayout) -> [EntityLayout] {
        newSchema.family(of: layout).compactMap(models.origin)
    }

    /// The names of old tables and columns once they are renamed.
    var present: PresentNames {
        PresentNames(
            table: { [tableNames] in PostgreSQLName.quoted(tableNames[$0] ?? $0) },
            column: { [columnNames] in PostgreSQLName.quoted(columnNames[$1]?[$0] ?? $0) })
    }

    /// Returns the name of an old table once it is renamed.
    func presentName(of table: String) -> String { tableNames[table] ?? table }

    // MARK: Making

    func add(
        _ phase: Phase, _ description: String, _ sql: String, touching tables: [String] = [], constraint: String? = nil,
        deferral: PostgreSQLMigration.Deferral? = nil
    ) {
        made[phase, default: []].append(
            PostgreSQLMigration.Statement(
                description: description, sql: sql, constraint: constraint, deferral: deferral))
        touch(tables)
    }

    /// Notes that old tables must not change during the migration.
    func touch(_ tables: [String]) { touched.formUnion(tables) }

    func noteWriting(_ column: String, of table: String) { written[table, default: []].insert(column) }

    func rename(_ column: String, of table: String, to name: String) { columnNames[table, default: [:]][column] = name }
    func rename(_ table: String, to name: String) { tableNames[table] = name }

    /// Returns a name that nothing has, in the schema of another name.
    func spareName(like name: String = "") -> String {
        spareCount += 1
        return PostgreSQLName.qualified("coredata_old_\(spareCount)", schema: PostgreSQLName.schema(of: name))
    }

    func make() throws {
        TableRenaming(self).run()
        let parts = try newSchema.parts()
        for change in changes { ColumnStatements(change, self).run(parts) }
        for join in joins { join.run(self) }
        LinkTransfers(self).run()
        for change in changes { RowStatements(change, self).run() }
        try makeDerived()
        dropOldTables()
        try PartChanges(self).run()
    }

    private func dropOldTables() {
        for table in oldTables where table.successor == nil && !table.heirs.isEmpty {
            add(.dropping, "Drops the table \(table.name).", "DROP TABLE \(present.table(table.name))")
        }
        for join in oldSchema.joins where !joins.contains(where: { $0.former == join.creation.name }) {
            let name = join.creation.name
            add(.dropping, "Drops the table \(name).", "DROP TABLE \(present.table(name))", touching: [name])
        }
    }

    /// Returns the SQL of a derived attribute for the row `t`, and whether it is the time of a change.
    private func derivation(
        _ layout: EntityLayout, _ cell: EntityLayout.Cell
    ) throws -> (sql: String, isTime: Bool)? {
        let place = try new.columns(of: layout)[cell.index]
        guard let type = PostgreSQLName.type(of: cell.kind, in: place) else { return nil }
        let value = try DerivedValue(cell, place, layout, new).make()
        if case .now = value.source { return ("(\(value.sql))::\(type)", true) }
        return ("(\(value.sql))::\(type)", false)
    }

    private func makeDerived() throws {
        for layout in newSchema.layouts.all {
            for cell in layout.ownCells where cell.isDerived {
                let columns = try new.columns(of: layout)
                guard let column = columns[cell.index].column, let value = try derivation(layout, cell) else {
                    continue
                }
                let name = PostgreSQLName.quoted(column)
                var sql = "UPDATE \(PostgreSQLName.quoted(columns.table)) t SET \(name) = \(value.sql) WHERE t.\(name) "
                sql += value.isTime ? "IS NULL" : "IS DISTINCT FROM \(value.sql)"
                if columns.sharesTable {
                    let family = newSchema.family(of: layout).map { PostgreSQLName.literal($0.name) }
                    sql += " AND t.entity IN (\(family.joined(separator: ", ")))"
                }
                noteWriting(column, of: columns.table)
                derived.append("\(layout.name).\(cell.path)")
                add(.derivation, "Computes \(layout.name).\(cell.path).", sql)
            }
        }
    }
}

extension EntityLayout {
    /// Returns the entity that declares a property.
    func declaring(_ name: String) -> EntityLayout {
        var layout = self
        while let above = layout.superlayout, above.members[name] != nil { layout = above }
        return layout
    }
}
