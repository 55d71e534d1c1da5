import CoreDataRowStorage

/// The renaming of tables, sequences, primary keys and columns. A table without rows that stay gets another name until
/// it is dropped.
struct TableRenaming {
    private let plan: MigrationPlan

    init(_ plan: MigrationPlan) { self.plan = plan }

    func run() {
        let gone = plan.oldTables.filter { $0.heirs.isEmpty }.map(\.name)
        if !gone.isEmpty {
            plan.add(
                .discarding, "Drops the tables of entities that do not continue.",
                "DROP TABLE \(gone.map(PostgreSQLName.quoted).joined(separator: ", "))", touching: gone)
        }
        renameRelations()
        for table in plan.oldTables { renameColumns(of: table) }
    }

    // MARK: Tables

    private func renameRelations() {
        var renamings: [Renaming] = []
        func rename(_ kind: Renaming.Kind, _ from: String, _ to: String, of table: String) {
            guard from != to else { return }
            plan.touch([table])
            renamings.append(Renaming(kind: kind, from: from, to: to))
        }
        func rename(_ table: String, to name: String, isEntity: Bool) {
            plan.rename(table, to: name)
            rename(.table, table, name, of: table)
            rename(
                .index, PostgreSQLName.name("pkey", of: table), PostgreSQLName.name("pkey", of: name), of: table)
            if isEntity {
                rename(.sequence, PostgreSQLSchema.sequence(of: table), PostgreSQLSchema.sequence(of: name), of: table)
            }
        }
        for table in plan.oldTables where !table.heirs.isEmpty {
            rename(table.name, to: table.successor?.name ?? plan.spareName(like: table.name), isEntity: true)
        }
        for join in plan.oldSchema.joins {
            let name = join.creation.name
            let successor = plan.joins.first { $0.former == name }
            rename(name, to: successor?.join.creation.name ?? plan.spareName(like: name), isEntity: false)
        }
        for renaming in Renaming.ordered(renamings, spare: { plan.spareName(like: $0) }) {
            plan.add(
                .renaming,
                "Renames \(PostgreSQLName.unqualified(renaming.from)) to \(PostgreSQLName.unqualified(renaming.to)).",
                renaming.sql())
        }
    }

    // MARK: Columns

    private func renameColumns(of table: OldTable) {
        guard let successor = table.successor else { return }
        let taken = Set(successor.columns.map(\.name))
        var renamings: [Renaming] = []
        for column in table.columns {
            var name = table.claimed[column.name]?.name
            if name == nil, taken.contains(column.name) { name = plan.spareName() }
            guard let name, name != column.name else { continue }
            plan.rename(column.name, of: table.name, to: name)
            renamings.append(Renaming(kind: .column, from: column.name, to: name))
        }
        Self.add(renamings, of: table.name, to: successor.name, plan)
    }

    /// Adds the renaming of columns of a table that continues, perhaps under another name.
    static func add(_ renamings: [Renaming], of table: String, to name: String, _ plan: MigrationPlan) {
        for renaming in Renaming.ordered(renamings, spare: { _ in plan.spareName() }) {
            plan.add(
                .renaming,
                "Renames the column \(renaming.from) of \(PostgreSQLName.unqualified(name)) to \(renaming.to).",
                renaming.sql(of: name), touching: [table])
        }
    }
}
