import CoreDataSQLQueries
import CoreDataRowStorage

/// Migrates relationships that do not simply keep their column: fills their keys from the place the source has them, and
/// removes keys of objects that were not migrated.
final class LinkTransfers {
    private let session: InPlaceSession
    private var connection: SQLiteConnection { session.connection }
    private var layouts: ModelLayouts { session.new }
    private var schema: SQLSchema { session.newSchema }

    init(_ session: InPlaceSession, _ tables: [TableMigration]) { self.session = session }

    // MARK: Filling

    /// Fills columns with values that come from the inverse or from another kind of relationship.
    func run() throws {
        for layout in layouts.all {
            for relationship in layout.ownRelationships {
                if relationship.isToMany {
                    try fillOwned(relationship, of: layout)
                } else {
                    try fillKey(relationship, of: layout)
                }
            }
        }
    }

    /// Fills a to-one relationship with the objects of its inverse in the source.
    private func fillKey(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws {
        guard relationship.inverse != nil, let columns = schema.entities[layout.number],
            let column = columns.cells[relationship.cell].column
        else { return }
        for link in RelationshipLinks(relationship, of: layout, session).foreign {
            guard let pairs = link.pairs(to: link.targets, session) else { continue }
            try fill(
                columns.table, column, order: columns.cells[relationship.cell].order, links: pairs,
                hasOrder: link.hasOrder)
        }
    }

    /// Fills a to-many relationship without an inverse that the source stores in another place.
    private func fillOwned(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws {
        let name = SQLSchema.RelationshipName(entity: layout.number, name: relationship.name)
        guard let key = schema.ownedKeys[name] else { return }
        let links = LinkSource.sources(of: name, session)
        if links.count == 1, case .owned = links[0].place { return }
        for link in links {
            guard let pairs = link.pairs(to: link.targets, session) else { continue }
            try fill(key.table, key.column, order: key.order, links: pairs, hasOrder: link.hasOrder)
        }
    }

    private func fill(
        _ table: String, _ column: String, order: String?, links: String, hasOrder: Bool
    ) throws {
        try connection.execute("CREATE TEMP TABLE CDLINKS (t INTEGER PRIMARY KEY, s INTEGER, ot INTEGER)")
        defer { try? connection.execute("DROP TABLE IF EXISTS temp.CDLINKS") }
        // No two objects claim the same one: that has been checked.
        try connection.execute(
            "INSERT OR IGNORE INTO temp.CDLINKS (t, s, ot) SELECT t, s, ot FROM (\(links)) ORDER BY t, s")
        var changes = ["\(column) = (SELECT s FROM temp.CDLINKS WHERE t = \(table).Z_PK)"]
        if let order, hasOrder { changes.append("\(order) = (SELECT ot FROM temp.CDLINKS WHERE t = \(table).Z_PK)") }
        try connection.execute(
            "UPDATE \(table) SET \(changes.joined(separator: ", ")) "
                + "WHERE \(column) IS NULL AND Z_PK IN (SELECT t FROM temp.CDLINKS)")
    }

    // MARK: Settling

    /// Removes dangling keys and fills entity and order columns. Rows already have their new entity numbers.
    func settle(_ joins: [JoinMigration]) throws {
        for layout in layouts.all {
            for relationship in layout.ownRelationships {
                try relationship.isToMany ? settleOwned(relationship, layout) : settleKey(relationship, layout)
            }
        }
        for layout in layouts.all {
            for relationship in layout.ownRelationships where !relationship.isToMany {
                try settlePair(relationship, layout)
            }
        }
        for join in joins where join.isFilled { try settle(join.join) }
    }

    private func settleKey(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) throws {
        guard let columns = schema.entities[layout.number], let column = columns.cells[relationship.cell].column,
            let destination = layouts.byNumber[relationship.destinationNumber],
            let target = schema.entities[destination.number]?.table
        else { return }
        let place = columns.cells[relationship.cell]
        if mayDangle(relationship, layout) {
            let others = [place.entityColumn, place.order].compactMap { $0 }.map { ", \($0) = NULL" }.joined()
            try connection.execute(
                "UPDATE \(columns.table) SET \(column) = NULL\(others) WHERE \(column) IS NOT NULL AND NOT EXISTS "
                    + "(SELECT 1 FROM \(target) d WHERE d.Z_PK = \(columns.table).\(column) "
                    + "AND d.Z_ENT IN (\(numbers(destination))))")
        }
        if let entity = place.entityColumn {
            try connection.execute(
                "UPDATE \(columns.table) SET \(entity) = (SELECT d.Z_ENT FROM \(target) d "
                    + "WHERE d.Z_PK = \(columns.table).\(column)) WHERE \(column) IS NOT NULL AND \(entity) IS NULL")
        }
        if let order = place.order { try number(columns.table, owner: column, order: order) }
    }

    private func settleOwned(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) throws {
        guard let key = schema.ownedKeys[.init(entity: layout.number, name: relationship.name)],
            let owners = schema.entities[layout.number]?.table
        else { return }
        if mayDangle(relationship, layout) {
            let others = key.order.map { ", \($0) = NULL" } ?? ""
            try connection.execute(
                "UPDATE \(key.table) SET \(key.column) = NULL\(others) WHERE \(key.column) IS NOT NULL AND NOT EXISTS "
                    + "(SELECT 1 FROM \(owners) d WHERE d.Z_PK = \(key.table).\(key.column) "
                    + "AND d.Z_ENT IN (\(numbers(layout))))")
        }
        if let order = key.order { try number(key.table, owner: key.column, order: order) }
    }

    private func settle(_ join: JoinTable) throws {
        let ends = [(join.first, join.firstColumn), (join.second, join.secondColumn)]
        for (name, column) in ends {
            guard let layout = layouts.byNumber[name.entity], let table = schema.entities[layout.number]?.table,
                let relationship = layout.relationships.first(where: { $0.name == name.name }),
                mayDangle(relationship, layout) || mayLoseOwners(relationship, layout)
            else { continue }
            try connection.execute(
                "DELETE FROM \(join.name) WHERE NOT EXISTS (SELECT 1 FROM \(table) d WHERE d.Z_PK = \(join.name).\(column) "
                    + "AND d.Z_ENT IN (\(numbers(layout))))")
            if let destination = layouts.byNumber[relationship.destinationNumber],
                let target = schema.entities[destination.number]?.table,
                let other = ends.first(where: { $0.1 != column })?.1
            {
                try connection.execute(
                    "DELETE FROM \(join.name) WHERE NOT EXISTS (SELECT 1 FROM \(target) d "
                        + "WHERE d.Z_PK = \(join.name).\(other) AND d.Z_ENT IN (\(numbers(destination))))")
            }
        }
    }

    /// Removes the keys of two to-one relationships that have become inverses of each other, where they disagree.
    private func settlePair(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) throws {
        guard let inverse = relationship.inverse, !inverse.isToMany,
            !wasPair(relationship, layout),
            let destination = layouts.byNumber[relationship.destinationNumber],
            let columns = schema.entities[layout.number], let target = schema.entities[destination.number],
            let column = columns.cells[relationship.cell].column, let cell = destination.cell(named: inverse.name),
            let back = target.cells[cell.index].column
        else { return }
        let others = columns.cells[relationship.cell].entityColumn.map { ", \($0) = NULL" } ?? ""
        try connection.execute(
            "UPDATE \(columns.table) SET \(column) = NULL\(others) WHERE \(column) IS NOT NULL AND NOT EXISTS "
                + "(SELECT 1 FROM \(target.table) d WHERE d.Z_PK = \(columns.table).\(column) "
                + "AND d.\(back) = \(columns.table).Z_PK)")
    }

    private func wasPair(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        guard let old = session.models.origin(of: relationship, in: layout), let name = relationship.inverse?.name,
            let destination = layouts.byNumber[relationship.destinationNumber],
            let inverse = destination.relationships.first(where: { $0.name == name }),
            let other = session.models.origin(of: inverse, in: destination)
        else { return false }
        return old.inverse?.name == other.name && !old.isToMany && !other.isToMany
    }

    /// Numbers members without an order, after those that have one.
    private func number(_ table: String, owner: String, order: String) throws {
        guard
            try connection.integer(
                "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NULL)") == 1
        else { return }
        try connection.execute("CREATE TEMP TABLE CDORDER (k INTEGER PRIMARY KEY, n INTEGER)")
        defer { try? connection.execute("DROP TABLE IF EXISTS temp.CDORDER") }
        try connection.execute(
            "INSERT INTO temp.CDORDER (k, n) SELECT Z_PK, \(OrderKeys.first) + \(OrderKeys.step) * "
                + "(ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(order) IS NULL, \(order), Z_PK) - 1) "
                + "FROM \(table) WHERE \(owner) IN (SELECT \(owner) FROM \(table) "
                + "WHERE \(owner) IS NOT NULL AND \(order) IS NULL)")
        try connection.execute(
            "UPDATE \(table) SET \(order) = (SELECT n FROM temp.CDORDER WHERE k = \(table).Z_PK) "
                + "WHERE Z_PK IN (SELECT k FROM temp.CDORDER)")
    }

    // MARK: Dangling keys

    private func numbers(_ layout: EntityLayout) -> String {
        layout.familyNumbers.map { String($0) }.joined(separator: ", ")
    }

    /// Returns true if objects in the source's relationship may no longer belong to its destination entity.
    private func mayDangle(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        guard let destination = layouts.byNumber[relationship.destinationNumber] else { return true }
        return session.family(of: layout).contains { member in
            guard session.models.origin(of: member) != nil else { return false }
            // A relationship without an origin is filled from its inverse, if at all.
            guard let old = session.models.origin(of: relationship, in: member),
                let target = session.old.byNumber[old.destinationNumber]
            else { return true }
            return !stays(target, under: destination)
        } || mayLoseOwners(relationship, layout)
    }

    /// Returns true if objects that had the relationship may have moved to entities without it.
    private func mayLoseOwners(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        session.family(of: layout).contains { member in
            guard let origin = session.models.origin(of: member),
                let old = session.models.origin(of: relationship, in: member)
            else { return false }
            return !stays(origin.declaring(old.name), under: layout)
        }
    }

    /// Returns true if every object of a source entity becomes one of the given destination entity.
    private func stays(_ old: EntityLayout, under new: EntityLayout) -> Bool {
        session.oldFamily(of: old).allSatisfy { member in
            session.models.successor(of: member).map { $0.isKind(of: new) } ?? member.isAbstract
        }
    }
}
