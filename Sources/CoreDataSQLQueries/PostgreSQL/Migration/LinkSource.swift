import CoreDataRowStorage

/// The place where the source stores the pairs of objects that a relationship of the destination connects.
struct LinkSource {
    /// The place of the pairs, from the side of the objects that have the relationship.
    let place: ToManyColumns
    /// A to-one relationship's own table and columns; nil for to-many relationships.
    let key: (table: String, column: String, order: String?)?
    /// The relationship of the source, and the entity that declares it.
    let relationship: EntityLayout.Relationship
    let owner: EntityLayout
    /// The old tables of the objects at both ends.
    private let ownerTable: OldTable
    private let targetTable: OldTable
    /// The old entities of the objects that have the destination's relationship.
    let owners: [EntityLayout]
    /// The old entities of the objects that the destination's relationship may contain.
    let targets: [EntityLayout]
    /// The old entities of objects that continue, and that the source's relationship may contain and the destination's may not.
    let strays: [EntityLayout]

    var hasOrder: Bool {
        guard key == nil else { return false }
        return switch place {
        case .foreignKey(_, _, _, let order), .owned(_, _, let order), .join(_, _, _, let order, _, _): order != nil
        }
    }

    var hasSourceOrder: Bool {
        if let key { return key.order != nil }
        if case .join(_, _, _, _, let order, _) = place { return order != nil }
        return false
    }

    /// The names of all old tables that the pairs are read from.
    var tables: [String] {
        let place =
            switch place {
            case .foreignKey(let table, _, _, _), .owned(let table, _, _), .join(let table, _, _, _, _, _): table
            }
        return [place, ownerTable.name, targetTable.name]
    }

    /// Returns the source's relationships that provide the objects of a destination's relationship.
    ///
    /// There are several if a relationship of several entities has moved up to their common parent.
    ///
    /// - Parameter isCarried: false to include relationships to objects that all belong to another hierarchy now.
    static func sources(
        of name: String, declaredBy declaring: EntityLayout, _ plan: MigrationPlan, isCarried: Bool = true
    ) -> [LinkSource] {
        var found: [(origin: EntityLayout.Relationship, owner: EntityLayout, owners: [EntityLayout])] = []
        var destination: EntityLayout?
        for layout in plan.newSchema.family(of: declaring) {
            guard let relationship = layout.relationships.first(where: { $0.name == name }),
                let origin = plan.models.origin(of: layout),
                let old = isCarried
                    ? plan.models.origin(of: relationship, in: layout)
                    : plan.models.former(relationship, in: layout)
            else { continue }
            destination = plan.newSchema.layouts.byNumber[relationship.destinationNumber]
            let owner = origin.declaring(old.name)
            if let index = found.firstIndex(where: { $0.owner === owner && $0.origin.name == old.name }) {
                found[index].owners.append(origin)
            } else {
                found.append((old, owner, [origin]))
            }
        }
        return found.compactMap { make($0.origin, of: $0.owner, owners: $0.owners, destination: destination, plan) }
    }

    private static func make(
        _ relationship: EntityLayout.Relationship, of owner: EntityLayout, owners: [EntityLayout],
        destination: EntityLayout?, _ plan: MigrationPlan
    ) -> LinkSource? {
        guard let table = plan.oldTable(of: owner), let columns = try? plan.old.columns(of: owner),
            let target = plan.oldSchema.layouts.byNumber[relationship.destinationNumber],
            let targetTable = plan.oldTable(of: target), let destination
        else { return nil }
        let survivors = plan.oldSchema.family(of: target).filter { plan.models.successor(of: $0) != nil }
        let fitting = survivors.filter { plan.models.successor(of: $0)?.isKind(of: destination) == true }
        let strays = survivors.filter { survivor in !fitting.contains { $0 === survivor } }
        func source(_ place: ToManyColumns, _ key: (table: String, column: String, order: String?)?) -> LinkSource {
            LinkSource(
                place: place, key: key, relationship: relationship, owner: owner, ownerTable: table,
                targetTable: targetTable, owners: owners, targets: fitting, strays: strays)
        }
        if relationship.isToMany { return plan.old.columns(of: relationship, in: owner).map { source($0, nil) } }
        let cell = columns[relationship.cell]
        guard let column = cell.column else { return nil }
        return source(
            .foreignKey(table: columns.table, column: column, entityColumn: nil, order: nil),
            (columns.table, column, cell.order))
    }

    /// Returns true if the two relationships were inverses of each other.
    func isInverse(of other: LinkSource, _ plan: MigrationPlan) -> Bool {
        relationship.inverse?.name == other.relationship.name
            && plan.oldSchema.layouts.byNumber[relationship.destinationNumber]?.isKind(of: other.owner) == true
    }

    // MARK: SQL

    /// Returns ``selection(_:)`` with `se` and `te`, the names of the entities of `s` and `t`, restricted to objects that have
    /// the relationship and to the given destination entities; nil if there is nothing to select.
    func pairs(to entities: [EntityLayout], _ names: PresentNames) -> String? {
        let (own, far) = (ownerTable.condition(owners), targetTable.condition(entities))
        guard !own.isNone, !far.isNone else { return nil }
        func join(_ table: OldTable, _ alias: String, _ side: String, _ condition: RowCondition) -> String {
            " JOIN \(names.table(table.name)) \(alias) ON \(alias).id = l.\(side)"
                + (condition.sql(alias).map { " AND \($0)" } ?? "")
        }
        return "SELECT l.s, l.t, l.ot, l.os, \(ownerTable.entity("a")) AS se, \(targetTable.entity("b")) AS te "
            + "FROM (\(selection(names))) l" + join(ownerTable, "a", "s", own) + join(targetTable, "b", "t", far)
    }

    /// Returns the SQL that selects `s`, an object with the relationship; `t`, an object in it; `ot`, the order of `t` among
    /// those of `s`; `os`, the order of `s` among those of `t`.
    func selection(_ names: PresentNames) -> String {
        func column(_ name: String?, _ table: String) -> String {
            name.map { names.column($0, table) } ?? "NULL::bigint"
        }
        if let key {
            let condition = ownerTable.condition(family(of: owner)).sql("k").map { " AND \($0)" } ?? ""
            let value = column(key.column, key.table)
            return "SELECT k.id AS s, k.\(value) AS t, NULL::bigint AS ot, "
                + "\(column(key.order, key.table)) AS os FROM \(names.table(key.table)) k "
                + "WHERE k.\(value) IS NOT NULL\(condition)"
        }
        switch place {
        case .foreignKey(let table, let name, _, let order), .owned(let table, let name, let order):
            let value = column(name, table)
            return "SELECT \(value) AS s, id AS t, \(column(order, table)) AS ot, NULL::bigint AS os "
                + "FROM \(names.table(table)) WHERE \(value) IS NOT NULL"
        case .join(let table, let source, let target, let order, let sourceOrder, _):
            return
                "SELECT \(column(source, table)) AS s, \(column(target, table)) AS t, \(column(order, table)) AS ot, "
                + "\(column(sourceOrder, table)) AS os FROM \(names.table(table))"
        }
    }

    private func family(of layout: EntityLayout) -> [EntityLayout] {
        ownerTable.entities.filter { $0.isKind(of: layout) }
    }

    /// Returns ``selection(_:)`` with the two sides exchanged.
    func reversedSelection(_ names: PresentNames) -> String {
        "SELECT p.t AS s, p.s AS t, p.os AS ot, p.ot AS os FROM (\(selection(names))) p"
    }

    /// Returns the valid pairs with the two sides exchanged.
    func reversedPairs(_ names: PresentNames) -> String? {
        pairs(to: targets, names).map {
            "SELECT p.t AS s, p.s AS t, p.os AS ot, p.ot AS os, p.te AS se, p.se AS te FROM (\($0)) p"
        }
    }
}

extension OldTable {
    /// Returns the name of the entity of a row, as SQL.
    func entity(_ alias: String) -> String {
        isShared ? "\(alias).entity" : "\(PostgreSQLName.literal(root.name)) COLLATE \"C\""
    }
}

/// The places where the source stores the links of a relationship of the destination.
struct RelationshipLinks {
    /// The places of the relationship's own links.
    let own: [LinkSource]
    /// The places of its inverse's links, if the two were not inverses of each other: both are kept.
    let foreign: [LinkSource]

    /// - Parameters:
    ///   - layout: The entity that declares the relationship.
    ///   - isReflexive: True if it is its own inverse.
    init(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, isReflexive: Bool = false,
        _ plan: MigrationPlan
    ) {
        let own = LinkSource.sources(of: relationship.name, declaredBy: layout, plan)
        var others: [LinkSource] = []
        if !isReflexive, let inverse = relationship.inverse,
            let destination = plan.newSchema.layouts.byNumber[relationship.destinationNumber]
        {
            others = LinkSource.sources(of: inverse.name, declaredBy: destination.declaring(inverse.name), plan)
        }
        self.own = own
        foreign = others.filter { other in !own.contains { $0.isInverse(of: other, plan) } }
    }

    var all: [LinkSource] { own + foreign }

    /// Selects the valid pairs, without duplicates, as ``LinkSource/pairs(to:_:)`` does; returns nil if there are none.
    func pairs(_ names: PresentNames) -> String? {
        let parts =
            own.compactMap { $0.pairs(to: $0.targets, names) } + foreign.compactMap { $0.reversedPairs(names) }
        guard !parts.isEmpty else { return nil }
        return parts.map { "SELECT p.s, p.t, p.se, p.te FROM (\($0)) p" }.joined(separator: " UNION ")
    }
}
