import CoreDataRowStorage

/// The table of a many-to-many relationship of the destination, and where its links come from.
final class JoinChange {
    let join: PostgreSQLSchema.Join
    let links: RelationshipLinks
    /// The old table that becomes this one; nil if links are copied.
    private(set) var former: String?
    private let place: Place
    private var formerPlace: Place?

    var isFilled: Bool { !links.all.isEmpty }

    /// The columns of a join table, from one side.
    private struct Place {
        let table: String
        let source: String
        let target: String
        let order: String?
        let sourceOrder: String?
        let isReflexive: Bool

        init?(_ columns: ToManyColumns) {
            guard
                case .join(let table, let source, let target, let order, let sourceOrder, let isReflexive) = columns
            else { return nil }
            self.table = table
            self.source = source
            self.target = target
            self.order = order
            self.sourceOrder = sourceOrder
            self.isReflexive = isReflexive
        }

        var columns: [String] { [source, target] + [order, sourceOrder].compactMap { $0 } }
    }

    init?(_ join: PostgreSQLSchema.Join, _ plan: MigrationPlan) {
        guard let place = Place(join.place) else { return nil }
        self.join = join
        self.place = place
        links = RelationshipLinks(join.relationship, of: join.layout, isReflexive: place.isReflexive, plan)
        guard links.foreign.isEmpty, links.own.count == 1, links.own[0].key == nil,
            let old = Place(links.own[0].place), old.isReflexive == place.isReflexive,
            PostgreSQLName.schema(of: old.table) == PostgreSQLName.schema(of: place.table),
            // The primary key has the columns in this order.
            plan.oldSchema.joins.contains(where: { $0.creation.name == old.table && $0.sides[0].column == old.source }),
            !plan.joins.contains(where: { $0.former == old.table })
        else { return }
        former = old.table
        formerPlace = old
    }

    // MARK: Statements

    func run(_ plan: MigrationPlan) {
        guard let former, let formerPlace else { return copy(plan) }
        let table = PostgreSQLName.quoted(place.table)
        let name = PostgreSQLName.unqualified(place.table)
        var renamings: [Renaming] = []
        func rename(_ from: String?, _ to: String?) {
            guard let from, from != to else { return }
            var name = to
            if name == nil, place.columns.contains(from) { name = plan.spareName() }
            guard let name else { return }
            plan.rename(from, of: former, to: name)
            renamings.append(Renaming(kind: .column, from: from, to: name))
        }
        rename(formerPlace.source, place.source)
        rename(formerPlace.target, place.target)
        rename(formerPlace.order, place.order)
        rename(formerPlace.sourceOrder, place.sourceOrder)
        TableRenaming.add(renamings, of: former, to: place.table, plan)
        let orders = [
            (formerPlace.order, place.order, place.source, place.target),
            (formerPlace.sourceOrder, place.sourceOrder, place.target, place.source),
        ]
        for (old, new, owner, member) in orders {
            if let new, old == nil {
                let order = PostgreSQLName.quoted(new)
                plan.add(
                    .adding, "Adds the column \(new) to \(name).", "ALTER TABLE \(table) ADD COLUMN \(order) bigint",
                    touching: [former])
                let (owner, member) = (PostgreSQLName.quoted(owner), PostgreSQLName.quoted(member))
                plan.add(
                    .links, "Orders the links in \(name).",
                    "UPDATE \(table) t SET \(order) = n.position FROM (SELECT \(owner), \(member), "
                        + "\(Self.newOrder(within: owner, by: member)) AS position FROM \(table)) n "
                        + "WHERE t.\(owner) = n.\(owner) AND t.\(member) = n.\(member)", touching: [former])
            } else if new == nil, let old {
                plan.add(
                    .dropping, "Drops the order of links in \(name).",
                    "ALTER TABLE \(table) DROP COLUMN \(plan.present.column(old, former))", touching: [former])
            }
        }
    }

    private func copy(_ plan: MigrationPlan) {
        let name = PostgreSQLName.unqualified(place.table)
        plan.add(.adding, "Creates the table \(name).", join.creation.sql)
        let names = plan.present
        for link in links.own {
            copy(link.selection(names), hasOrder: link.hasOrder, hasSourceOrder: link.hasSourceOrder, link, plan)
        }
        for link in links.foreign {
            copy(
                link.reversedSelection(names), hasOrder: link.hasSourceOrder, hasSourceOrder: link.hasOrder, link, plan)
        }
    }

    private func copy(
        _ selection: String, hasOrder: Bool, hasSourceOrder: Bool, _ link: LinkSource, _ plan: MigrationPlan
    ) {
        var names = [place.source, place.target]
        var values = ["p.s", "p.t"]
        if let column = place.sourceOrder {
            names.append(column)
            values.append(hasSourceOrder ? "p.os" : Self.newOrder(within: "p.t", by: "p.s"))
        }
        if let column = place.order {
            names.append(column)
            values.append(hasOrder ? "p.ot" : Self.newOrder(within: "p.s", by: "p.t"))
        }
        plan.add(
            .links,
            "Copies links of \(link.owner.name).\(link.relationship.name) to \(PostgreSQLName.unqualified(place.table)).",
            "INSERT INTO \(PostgreSQLName.quoted(place.table)) "
                + "(\(names.map(PostgreSQLName.quoted).joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM (\(selection)) p ON CONFLICT DO NOTHING",
            touching: link.tables)
    }

    /// Returns the SQL of positions for objects without an order: by key, that is, by age.
    private static func newOrder(within owner: String, by member: String) -> String {
        LinkTransfers.position(within: owner, by: member)
    }
}
