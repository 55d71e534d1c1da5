import CoreDataRowStorage

/// An entity's table of the destination, and where its rows come from.
final class TableChange {
    let name: String
    let root: EntityLayout
    let columns: [PostgreSQLSchema.Column]
    let origin: OldTable?
    /// The entities of the table that have rows already, with their old entities.
    let rows: [(new: EntityLayout, old: EntityLayout)]
    /// The sources of the values of each column, one for each of ``rows``.
    private(set) var sources: [[CellSource]] = []

    var isShared: Bool { root.familyNumbers.count > 1 }
    /// True if it is the old table, altered.
    var continues: Bool { origin?.successor === self }

    init(_ root: EntityLayout, _ plan: MigrationPlan) throws {
        self.root = root
        name = try plan.new.columns(of: root).table
        columns = try plan.newSchema.columns(of: root)
        let pairs = plan.newSchema.family(of: root).compactMap { layout in
            plan.models.origin(of: layout).map { (new: layout, old: $0) }
        }
        origin = pairs.first.flatMap { plan.oldTable(of: $0.old) }
        rows = pairs.filter { !$0.old.isAbstract }
        origin?.heirs.append(self)
    }

    /// Returns the condition of the rows of some old entities, while the migration runs: entities in a table that continues
    /// keep their old names until its end.
    func condition(_ layouts: [EntityLayout]) -> RowCondition {
        guard let origin else { return .none }
        if continues { return origin.condition(layouts) }
        let found = rows.filter { row in layouts.contains { $0 === row.old } }
        return RowCondition(found.map(\.new.name), of: rows.map(\.new.name))
    }

    // MARK: Sources of values

    func findSources(_ plan: MigrationPlan) throws {
        sources = try columns.map { column in
            try rows.map { try source(of: column, $0.new, $0.old, plan) }
        }
    }

    private func source(
        of column: PostgreSQLSchema.Column, _ new: EntityLayout, _ old: EntityLayout, _ plan: MigrationPlan
    ) throws -> CellSource {
        switch column.role {
        case .cell(let declaring, let index):
            guard new.isKind(of: declaring) else { return .null }
            return try value(new.cells[index], column, new, old, plan)
        case .orderOfCell(let declaring, let index):
            guard new.isKind(of: declaring), let origin = plan.models.origin(of: new.cells[index], in: new) else {
                return .null
            }
            return .column(try plan.old.columns(of: old)[origin.index].order)
        case .owned(let owner, let relationship): return .column(owned(owner, relationship, plan)?.column)
        case .orderOfOwned(let owner, let relationship): return .column(owned(owner, relationship, plan)?.order)
        }
    }

    private func value(
        _ cell: EntityLayout.Cell, _ column: PostgreSQLSchema.Column, _ new: EntityLayout, _ old: EntityLayout,
        _ plan: MigrationPlan
    ) throws -> CellSource {
        let isComputed = cell.kind == .reference || cell.isDerived
        func defaultValue() throws -> String? {
            try PostgreSQLLiteral.defaultValue(of: cell, in: new, plan.new.columns(of: new)[cell.index])
        }
        guard let origin = plan.models.origin(of: cell, in: new), let former = self.origin,
            let name = try plan.old.columns(of: old)[origin.index].column, let place = former.column(name)
        else { return isComputed ? .null : CellSource(fallback: try defaultValue()) }
        if cell.isDerived, place.type != column.type { return .null }
        var source = CellSource(column: name)
        if place.type != column.type {
            source.conversion = ColumnConversion(
                source: place.type, destination: column.type,
                numeric: plan.models.conversion(from: origin, to: cell))
        }
        let isRequired = !isComputed && !cell.isOptional && cell.requiresValue
        let wasRequired = !origin.isOptional && origin.requiresValue
        if isRequired, !wasRequired { source.fallback = try defaultValue() }
        return source
    }

    /// Returns the columns of a to-many relationship without an inverse, if it had none in the source either.
    private func owned(
        _ owner: EntityLayout, _ relationship: EntityLayout.Relationship, _ plan: MigrationPlan
    ) -> (column: String, order: String?)? {
        let links = LinkSource.sources(of: relationship.name, declaredBy: owner, plan)
        guard links.count == 1, case .owned(let table, let column, let order) = links[0].place, table == origin?.name
        else { return nil }
        return (column, order)
    }

    // MARK: Columns that continue

    /// Chooses the old columns that the columns become.
    func claimColumns() {
        guard continues, let origin else { return }
        for (column, sources) in zip(columns, sources) {
            let candidates = sources.compactMap(\.column)
            if let name = candidates.first(where: { canClaim($0, column, sources, origin) }) {
                origin.claimed[name] = column
            }
        }
    }

    /// Returns the old column that a column is.
    func claim(of column: PostgreSQLSchema.Column) -> PostgreSQLSchema.Column? {
        guard continues, let origin, let found = origin.claimed.first(where: { $0.value.name == column.name }) else {
            return nil
        }
        return origin.column(found.key)
    }

    private func canClaim(
        _ name: String, _ column: PostgreSQLSchema.Column, _ sources: [CellSource], _ origin: OldTable
    ) -> Bool {
        guard origin.claimed[name] == nil, let old = origin.column(name) else { return false }
        // Links are read from the old columns until the end.
        let isLink = column.isLink
        return zip(rows, sources).allSatisfy { row, source in
            if source.column == name { return !isLink || source.fallback == nil }
            if source == .null, !old.isDeclared(for: row.old) { return true }
            if isLink { return false }
            return old.type == column.type || source.column == nil
        }
    }
}

extension PostgreSQLSchema.Column {
    /// True if the column is of a relationship.
    var isLink: Bool {
        switch role {
        case .cell(let layout, let index): layout.cells[index].kind == .reference
        default: true
        }
    }

    /// Returns true if rows of an entity may have a value in the column.
    func isDeclared(for layout: EntityLayout) -> Bool {
        switch role {
        case .cell(let declaring, _), .orderOfCell(let declaring, _): layout.isKind(of: declaring)
        case .owned, .orderOfOwned: true
        }
    }

    /// The entity and the path of the property, for people.
    var subject: String {
        switch role {
        case .cell(let layout, let index), .orderOfCell(let layout, let index):
            "\(layout.name).\(layout.cells[index].path)"
        case .owned(let layout, let relationship), .orderOfOwned(let layout, let relationship):
            "\(layout.name).\(relationship.name)"
        }
    }
}
