import CoreDataRowStorage

/// The statements that remove rows and columns which do not continue, and give the rows the names of their entities.
struct RowStatements {
    private let change: TableChange
    private let plan: MigrationPlan

    init(_ change: TableChange, _ plan: MigrationPlan) {
        self.change = change
        self.plan = plan
    }

    func run() {
        guard change.continues, let origin = change.origin else { return }
        let table = PostgreSQLName.quoted(change.name)
        let name = PostgreSQLName.unqualified(change.name)
        if !origin.leaving.isEmpty {
            let condition = origin.condition(origin.leaving).sql("t").map { " WHERE \($0)" } ?? ""
            plan.add(
                .removing, "Removes from \(name) the objects that are elsewhere now, or do not continue.",
                "DELETE FROM \(table) t\(condition)", touching: [origin.name])
        }
        check(origin, table, name)
        var columns = origin.columns.filter { origin.claimed[$0.name] == nil }.map {
            plan.present.column($0.name, origin.name)
        }
        if origin.isShared, !change.isShared { columns.append("entity") }
        guard !columns.isEmpty else { return }
        plan.add(
            .dropping, "Drops columns of \(name).",
            "ALTER TABLE \(table) \(columns.map { "DROP COLUMN \($0)" }.joined(separator: ", "))",
            touching: [origin.name])
    }

    private func check(_ origin: OldTable, _ table: String, _ name: String) {
        let old = origin.isShared ? plan.oldSchema.entityCheck(of: origin.root) : nil
        let new = change.isShared ? plan.newSchema.entityCheck(of: change.root) : nil
        guard old != new || origin.name != change.name else { return }
        if old != nil {
            plan.add(
                .clearing, "Drops the check of entities in \(PostgreSQLName.unqualified(origin.name)).",
                "ALTER TABLE \(PostgreSQLName.quoted(origin.name)) DROP CONSTRAINT IF EXISTS "
                    + PostgreSQLName.quoted(PostgreSQLName.entityCheck(of: origin.name)), touching: [origin.name])
        }
        if let new {
            plan.add(
                .constraints, "Checks the entities in \(name).", "ALTER TABLE \(table) ADD CHECK (\(new))",
                touching: [origin.name])
        }
        let renamed = change.rows.filter { $0.new.name != $0.old.name }
        guard origin.isShared, change.isShared, !renamed.isEmpty else { return }
        let cases = renamed.map {
            "WHEN \(PostgreSQLName.literal($0.old.name)) THEN \(PostgreSQLName.literal($0.new.name))"
        }
        plan.add(
            .removing, "Renames entities in \(name).",
            "UPDATE \(table) t SET entity = CASE entity \(cases.joined(separator: " ")) END WHERE "
                + "t.entity IN (\(renamed.map { PostgreSQLName.literal($0.old.name) }.joined(separator: ", ")))",
            touching: [origin.name])
    }
}

extension PostgreSQLName {
    /// Returns the name that the database gives the check of a table's entities: it shortens that of the table.
    static func entityCheck(of table: String) -> String {
        let suffix = "_entity_check"
        var name = unqualified(table)
        while name.utf8.count + suffix.utf8.count > longest { name = String(name.unicodeScalars.dropLast()) }
        return name + suffix
    }
}
