import CoreDataRowStorage

/// The constraints and indexes that continue, perhaps under other names, and those that are dropped and created.
struct PartChanges {
    private typealias Part = PostgreSQLSchema.Part

    private let plan: MigrationPlan
    private let old: [Part]
    private let new: [Part]
    /// The names of the tables that old ones become.
    private var successors: [String: String] = [:]
    /// The names that columns keep or get, by old table.
    private var columns: [String: [String: String]] = [:]

    init(_ plan: MigrationPlan) throws {
        self.plan = plan
        old = try plan.oldSchema.parts().filter { $0.shape != nil }
        new = try plan.newSchema.parts().filter { $0.shape != nil }
        for table in plan.oldTables {
            guard let successor = table.successor else { continue }
            successors[table.name] = successor.name
            columns[table.name] = table.claimed.mapValues(\.name).merging(["id": "id"]) { $1 }
            if table.isShared, successor.isShared { columns[table.name]?["entity"] = "entity" }
        }
        for join in plan.joins {
            guard let former = join.former,
                let place = plan.oldSchema.joins.first(where: { $0.creation.name == former })
            else { continue }
            successors[former] = join.join.creation.name
            columns[former] = Dictionary(
                uniqueKeysWithValues: zip(place.sides, join.join.sides).map { ($0.column, $1.column) })
        }
    }

    func run() {
        let gone = Set(plan.oldTables.filter { $0.heirs.isEmpty }.map(\.name))
        var kept: Set<Part> = []
        var indexes: [Renaming] = []
        var constraints: [(table: String, renaming: Renaming)] = []
        for part in old.reversed() {
            guard let shape = part.shape, !gone.contains(shape.table) else { continue }
            if let successor = successor(of: part, except: kept) {
                kept.insert(successor)
                rename(part, to: successor, &indexes, &constraints)
            } else {
                drop(part, shape)
            }
        }
        for renaming in Renaming.ordered(indexes, spare: { plan.spareName(like: $0) }) {
            plan.add(
                .renaming,
                "Renames \(PostgreSQLName.unqualified(renaming.from)) to "
                    + "\(PostgreSQLName.unqualified(renaming.to)).", renaming.sql())
        }
        for (table, pairs) in Dictionary(grouping: constraints, by: \.table).sorted(by: { $0.key < $1.key }) {
            for renaming in Renaming.ordered(pairs.map(\.renaming), spare: { _ in plan.spareName() }) {
                plan.add(.renaming, "Renames \(renaming.from) to \(renaming.to).", renaming.sql(of: table))
            }
        }
        for part in new where !kept.contains(part) { create(part) }
    }

    // MARK: Parts that continue

    /// Returns the part that an old one becomes; nil if it has to be dropped.
    private func successor(of part: Part, except taken: Set<Part>) -> Part? {
        guard let shape = part.shape, let becoming = becoming(shape) else { return nil }
        if part.kind == .unique {
            // Rows may break the constraint meanwhile.
            let written = plan.written[becoming.table] ?? []
            guard written.isDisjoint(with: becoming.columns) else { return nil }
        }
        return new.first { $0.kind == part.kind && $0.shape == becoming && !taken.contains($0) }
    }

    /// Returns a shape with the names of now.
    private func becoming(_ shape: PostgreSQLSchema.Shape) -> PostgreSQLSchema.Shape? {
        guard let table = successors[shape.table], let names = columns[shape.table] else { return nil }
        var result = shape
        result.table = table
        result.columns = shape.columns.compactMap { names[$0] }
        guard result.columns.count == shape.columns.count else { return nil }
        if let target = shape.target {
            guard let successor = successors[target] else { return nil }
            result.target = successor
        }
        // The names of columns are in the text.
        if let condition = shape.condition {
            let isSame = plan.oldTables.first { $0.name == shape.table }?.columns.allSatisfy { column in
                !condition.contains(column.name)
                    || names[column.name] == column.name
                        && plan.written[table]?.contains(column.name) != true
            }
            guard isSame == true else { return nil }
        }
        return result
    }

    private func rename(
        _ part: Part, to successor: Part, _ indexes: inout [Renaming],
        _ constraints: inout [(table: String, renaming: Renaming)]
    ) {
        guard let shape = part.shape, let table = successor.shape?.table, part.name != successor.name else { return }
        plan.touch([shape.table])
        if part.kind == .foreignKey {
            constraints.append((table, Renaming(kind: .constraint, from: part.name, to: successor.name)))
        } else {
            // The index of a constraint is renamed with it.
            func qualified(_ name: String) -> String {
                PostgreSQLName.qualified(name, schema: PostgreSQLName.schema(of: shape.table))
            }
            indexes.append(Renaming(kind: .index, from: qualified(part.name), to: qualified(successor.name)))
        }
    }

    // MARK: Parts that do not continue

    private func drop(_ part: Part, _ shape: PostgreSQLSchema.Shape) {
        let name = PostgreSQLName.quoted(part.name)
        let isConstraint = part.kind == .foreignKey || part.sql.hasPrefix("ALTER TABLE")
        let qualified = PostgreSQLName.quoted(
            PostgreSQLName.qualified(part.name, schema: PostgreSQLName.schema(of: shape.table)))
        plan.add(
            .clearing, "Drops \(part.name).",
            isConstraint
                ? "ALTER TABLE \(PostgreSQLName.quoted(shape.table)) DROP CONSTRAINT IF EXISTS \(name)"
                : "DROP INDEX IF EXISTS \(qualified)", touching: [shape.table])
    }

    private func create(_ part: Part) {
        guard let shape = part.shape else { return }
        let touched = plan.oldTables.filter { $0.successor?.name == shape.table }.map(\.name)
        plan.add(
            part.kind == .index ? .indexes : .constraints, "Creates \(part.name).", part.sql, touching: touched,
            constraint: part.kind == .unique ? part.name : nil,
            deferral: touched.first.flatMap { deferral(of: part, shape, $0) })
    }

    /// Returns the way to create a part after the transaction, for a table that continues.
    private func deferral(
        of part: Part, _ shape: PostgreSQLSchema.Shape, _ table: String
    ) -> PostgreSQLMigration.Deferral? {
        switch part.kind {
        case .index:
            let name = PostgreSQLName.qualified(part.name, schema: PostgreSQLName.schema(of: shape.table))
            let later = PendingStatement(sql: part.sql, index: PostgreSQLName.quoted(name))
            return PostgreSQLMigration.Deferral(table: table, statement: nil, later: later)
        case .foreignKey:
            let validation =
                "ALTER TABLE \(PostgreSQLName.quoted(shape.table)) VALIDATE CONSTRAINT \(PostgreSQLName.quoted(part.name))"
            return PostgreSQLMigration.Deferral(
                table: table, statement: "\(part.sql) NOT VALID", later: PendingStatement(sql: validation, index: nil))
        default: return nil
        }
    }
}
