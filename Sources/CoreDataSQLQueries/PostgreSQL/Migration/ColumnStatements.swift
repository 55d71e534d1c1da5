import CoreDataRowStorage

/// The statements that give a table the columns of the destination, with their values.
struct ColumnStatements {
    private let change: TableChange
    private let plan: MigrationPlan
    private let table: String

    /// The value of a column in some rows.
    private struct Correction {
        /// nil for all rows.
        let condition: String?
        let value: String
    }

    init(_ change: TableChange, _ plan: MigrationPlan) {
        self.change = change
        self.plan = plan
        table = PostgreSQLName.quoted(change.name)
    }

    private var touched: [String] { change.origin.map { [$0.name] } ?? [] }

    func run(_ parts: [PostgreSQLSchema.Part]) {
        guard change.continues, let origin = change.origin else {
            create(parts)
            return copyRows()
        }
        addColumns(origin)
        correct(origin)
        convert(origin)
        require(origin)
    }

    private func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    /// Returns the present name of an old column.
    private func present(_ column: String) -> String { plan.present.column(column, change.origin?.name ?? "") }

    // MARK: New tables

    private func create(_ parts: [PostgreSQLSchema.Part]) {
        let sequence = PostgreSQLSchema.sequence(of: change.name)
        for part in parts where part.name == change.name && part.kind == .table || part.name == sequence {
            guard [.table, .sequence, .owner].contains(part.kind) else { continue }
            let words = part.kind == .owner ? "Assigns the sequence" : "Creates the \(part.kind)"
            plan.add(.adding, "\(words) \(PostgreSQLName.unqualified(part.name)).", part.sql)
        }
    }

    /// Copies the rows of entities that leave their table. Keys stay, and new ones continue after them.
    private func copyRows() {
        guard let origin = change.origin, !change.rows.isEmpty else { return }
        var names = ["id", "version"]
        var values = ["o.id", "o.version"]
        if change.isShared {
            names.append("entity")
            values.append(choice(change.rows.map { PostgreSQLName.literal($0.new.name) }))
        }
        for (column, sources) in zip(change.columns, change.sources) where sources.contains(where: { $0 != .null }) {
            names.append(quoted(column.name))
            values.append(choice(sources.map { $0.sql { "o.\(present($0))" } }))
        }
        let condition = origin.condition(change.rows.map(\.old)).sql("o").map { " WHERE \($0)" } ?? ""
        plan.add(
            .moving, "Moves objects to \(PostgreSQLName.unqualified(change.name)).",
            "INSERT INTO \(table) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
                + "FROM \(plan.present.table(origin.name)) o\(condition) ORDER BY o.id", touching: touched)
        let sequence = PostgreSQLName.literal(quoted(PostgreSQLSchema.sequence(of: change.name)))
        let source = PostgreSQLSchema.sequence(of: plan.presentName(of: origin.name))
        plan.add(
            .moving, "Continues the keys of \(PostgreSQLName.unqualified(origin.name)).",
            "SELECT setval(\(sequence), last_value, is_called) FROM \(quoted(source))")
    }

    /// Returns one expression for all entities, or a `CASE` by the entity of the row `o`.
    private func choice(_ values: [String]) -> String {
        guard let first = values.first else { return "NULL" }
        if values.allSatisfy({ $0 == first }) { return first }
        return "CASE o.entity "
            + zip(change.rows, values).map { "WHEN \(PostgreSQLName.literal($0.old.name)) THEN \($1)" }
            .joined(separator: " ") + " END"
    }

    // MARK: Columns of tables that continue

    private var addedColumns: [(column: PostgreSQLSchema.Column, sources: [CellSource])] {
        zip(change.columns, change.sources).filter { change.claim(of: $0.0) == nil }.map { ($0, $1) }
    }

    private var keptColumns: [(column: PostgreSQLSchema.Column, old: PostgreSQLSchema.Column, sources: [CellSource])] {
        zip(change.columns, change.sources).compactMap { column, sources in
            change.claim(of: column).map { (column, $0, sources) }
        }
    }

    /// Returns the constant that all rows get in a new column; the server does not write them for it.
    private func constant(_ sources: [CellSource]) -> String? {
        guard let first = sources.first, first.isConstant, sources.allSatisfy({ $0 == first }) else { return nil }
        return first.fallback
    }

    private func addColumns(_ origin: OldTable) {
        var additions: [String] = []
        var defaults: [String] = []
        var subjects: [String] = []
        if change.isShared, !origin.isShared {
            // Its only entity; without rows if it is abstract.
            let name = change.rows.first?.new.name ?? ""
            additions.append("ADD COLUMN \(PostgreSQLSchema.entityColumn) DEFAULT \(PostgreSQLName.literal(name))")
            defaults.append("entity")
            subjects.append("entity")
        }
        for (column, sources) in addedColumns {
            var words = "ADD COLUMN \(quoted(column.name)) \(column.type)"
            if let constant = constant(sources) {
                words += "\(column.isRequired ? " NOT NULL" : "") DEFAULT \(constant)"
                defaults.append(column.name)
            }
            additions.append(words)
            subjects.append(column.name)
        }
        guard !additions.isEmpty else { return }
        plan.add(
            .adding, "Adds columns to \(PostgreSQLName.unqualified(change.name)): \(subjects.joined(separator: ", ")).",
            "ALTER TABLE \(table) \(additions.joined(separator: ", "))", touching: touched)
        guard !defaults.isEmpty else { return }
        plan.add(
            .adding, "Removes the default values of these columns: objects get those of the model.",
            "ALTER TABLE \(table) "
                + defaults.map { "ALTER COLUMN \(quoted($0)) DROP DEFAULT" }.joined(separator: ", "))
    }

    // MARK: Values

    /// Sets all values that are not in their column yet, from the values of before.
    private func correct(_ origin: OldTable) {
        var changes: [(column: String, corrections: [Correction])] = []
        func add(_ column: PostgreSQLSchema.Column, _ corrections: [Correction]) {
            guard !corrections.isEmpty else { return }
            changes.append((quoted(column.name), corrections))
            plan.noteWriting(column.name, of: change.name)
        }
        for (column, sources) in addedColumns where constant(sources) == nil {
            add(column, zip(change.rows, sources).compactMap { correction(of: $0.old, $1) })
        }
        for (column, old, sources) in keptColumns where old.type == column.type {
            add(
                column, zip(change.rows, sources).compactMap { correction(of: $0.old, $1, in: column, from: old) })
        }
        guard !changes.isEmpty else { return }
        let terms = changes.map { column, corrections in
            if changes.count == 1, corrections.count == 1 { return "\(column) = \(corrections[0].value)" }
            if let whole = corrections.first, whole.condition == nil { return "\(column) = \(whole.value)" }
            let cases = corrections.map { "WHEN \($0.condition ?? "true") THEN \($0.value)" }
            return "\(column) = CASE \(cases.joined(separator: " ")) ELSE t.\(column) END"
        }
        let conditions = changes.flatMap(\.corrections).map(\.condition)
        let condition =
            conditions.contains(nil)
            ? "" : " WHERE \(conditions.compactMap { $0 }.map { "(\($0))" }.joined(separator: " OR "))"
        plan.add(
            .values, "Sets values in \(PostgreSQLName.unqualified(change.name)).",
            "UPDATE \(table) t SET \(terms.joined(separator: ", "))\(condition)", touching: touched)
    }

    private func condition(_ terms: String?...) -> String? {
        let terms = terms.compactMap { $0 }
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    /// Returns the value of a new column in the rows of an old entity.
    private func correction(of old: EntityLayout, _ source: CellSource) -> Correction? {
        guard source != .null else { return nil }
        let presence = source.fallback == nil ? source.column.map { "t.\(present($0)) IS NOT NULL" } : nil
        return Correction(
            condition: condition(change.condition([old]).sql("t"), presence), value: source.sql { "t.\(present($0))" })
    }

    /// Returns the value of a column that continues, in the rows of an old entity; nil if it has it.
    private func correction(
        of old: EntityLayout, _ source: CellSource, in column: PostgreSQLSchema.Column,
        from former: PostgreSQLSchema.Column
    ) -> Correction? {
        let rows = change.condition([old]).sql("t")
        let value = "t.\(quoted(column.name))"
        if source.column == former.name {
            return source.fallback.map { Correction(condition: condition(rows, "\(value) IS NULL"), value: $0) }
        }
        if source == .null {
            guard former.isDeclared(for: old) else { return nil }
            return Correction(condition: condition(rows, "\(value) IS NOT NULL"), value: "NULL")
        }
        return Correction(condition: rows, value: source.sql { "t.\(present($0))" })
    }

    // MARK: Types

    private func convert(_ origin: OldTable) {
        var terms: [String] = []
        var names: [String] = []
        for (column, old, sources) in keptColumns where old.type != column.type {
            let name = quoted(column.name)
            plan.noteWriting(column.name, of: change.name)
            names.append(column.name)
            let values = sources.map { $0.sql { _ in name } }
            var value = values.first ?? "NULL::\(column.type)"
            // Values of objects that are dropped may not fit.
            if !origin.leaving.isEmpty || !values.allSatisfy({ $0 == value }) {
                let cases = zip(change.rows, values).filter { $1 != "NULL" }
                    .map { "WHEN \(PostgreSQLName.literal($0.old.name)) THEN \($1)" }
                value = "CASE entity \(cases.joined(separator: " ")) END"
            }
            terms.append("ALTER COLUMN \(name) TYPE \(column.type) USING \(value)")
        }
        guard !terms.isEmpty else { return }
        plan.add(
            .types,
            "Changes the types of columns of \(PostgreSQLName.unqualified(change.name)): "
                + "\(names.joined(separator: ", ")).",
            "ALTER TABLE \(table) \(terms.joined(separator: ", "))", touching: touched)
    }

    // MARK: NOT NULL

    private func require(_ origin: OldTable) {
        var dropped: [String] = []
        var required: [String] = []
        for (column, old, _) in keptColumns {
            let isRewritten = old.type != column.type && !origin.leaving.isEmpty
            if old.isRequired, !column.isRequired || isRewritten { dropped.append(column.name) }
            if column.isRequired, !old.isRequired || isRewritten { required.append(column.name) }
        }
        required += addedColumns.filter { $0.column.isRequired && constant($0.sources) == nil }.map(\.column.name)
        func alter(_ columns: [String], _ phase: MigrationPlan.Phase, _ words: String, _ description: String) {
            guard !columns.isEmpty else { return }
            plan.add(
                phase,
                "\(description) in \(PostgreSQLName.unqualified(change.name)): \(columns.joined(separator: ", ")).",
                "ALTER TABLE \(table) "
                    + columns.map { "ALTER COLUMN \(quoted($0)) \(words)" }.joined(separator: ", "), touching: touched)
        }
        alter(dropped, .adding, "DROP NOT NULL", "Allows objects without values")
        alter(required, .constraints, "SET NOT NULL", "Requires values")
    }
}
