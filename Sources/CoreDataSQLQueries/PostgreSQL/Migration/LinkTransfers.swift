import CoreDataRowStorage

/// The migration of relationships that do not simply keep their column: fills their keys from the place the source has them, and
/// removes keys of objects that do not continue.
struct LinkTransfers {
    private let plan: MigrationPlan
    private var layouts: ModelLayouts { plan.newSchema.layouts }

    init(_ plan: MigrationPlan) { self.plan = plan }

    func run() {
        for layout in layouts.all {
            for relationship in layout.ownRelationships where !relationship.isTransient {
                relationship.isToMany ? fillOwned(relationship, of: layout) : fillKey(relationship, of: layout)
            }
        }
        for layout in layouts.all {
            for relationship in layout.ownRelationships where !relationship.isTransient {
                relationship.isToMany ? settleOwned(relationship, layout) : settleKey(relationship, layout)
            }
        }
        for layout in layouts.all {
            for relationship in layout.ownRelationships where !relationship.isToMany && !relationship.isTransient {
                settlePair(relationship, layout)
            }
        }
        for join in plan.joins where join.isFilled { settle(join) }
    }

    /// Returns the positions in an ordered relationship, with the distances that saves give them.
    static func position(within owner: String, by order: String) -> String {
        "2048 + 1024 * (row_number() OVER (PARTITION BY \(owner) ORDER BY \(order)) - 1)"
    }

    private func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    /// The column of a to-one relationship, or of a to-many relationship without an inverse.
    private struct Key {
        let change: TableChange
        let column: String
        let order: String?
        var table: String { PostgreSQLName.quoted(change.name) }
        var name: String { PostgreSQLName.quoted(column) }
        var touched: [String] { change.origin.map { [$0.name] } ?? [] }
    }

    private func key(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) -> Key? {
        guard !relationship.isToMany, let change = plan.change(of: layout),
            let cell = try? plan.new.columns(of: layout)[relationship.cell], let column = cell.column
        else { return nil }
        return Key(change: change, column: column, order: cell.order)
    }

    private func ownedKey(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) -> Key? {
        guard case .owned(let table, let column, let order)? = plan.new.columns(of: relationship, in: layout),
            let change = plan.changes.first(where: { $0.name == table })
        else { return nil }
        return Key(change: change, column: column, order: order)
    }

    // MARK: Filling

    /// Fills a to-one relationship with the objects of its inverse in the source.
    private func fillKey(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) {
        guard relationship.inverse != nil, let key = key(relationship, of: layout) else { return }
        for link in RelationshipLinks(relationship, of: layout, plan).foreign {
            fill(key, with: link, "\(layout.name).\(relationship.name)")
        }
    }

    /// Fills a to-many relationship without an inverse that the source stores in another place.
    private func fillOwned(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) {
        guard let key = ownedKey(relationship, of: layout) else { return }
        let links = LinkSource.sources(of: relationship.name, declaredBy: layout, plan)
        if links.count == 1, case .owned = links[0].place { return }
        for link in links { fill(key, with: link, "\(layout.name).\(relationship.name)") }
    }

    private func fill(_ key: Key, with link: LinkSource, _ subject: String) {
        guard key.change.origin != nil, let pairs = link.pairs(to: link.targets, plan.present) else { return }
        var changes = ["\(key.name) = l.s"]
        if let order = key.order, link.hasOrder { changes.append("\(quoted(order)) = l.ot") }
        plan.noteWriting(key.column, of: key.change.name)
        // No two objects claim the same one: that has been checked.
        plan.add(
            .links, "Sets \(subject) from \(link.owner.name).\(link.relationship.name).",
            "UPDATE \(key.table) t SET \(changes.joined(separator: ", ")) FROM (SELECT DISTINCT ON (p.t) p.t, p.s, p.ot "
                + "FROM (\(pairs)) p ORDER BY p.t, p.s) l WHERE t.id = l.t AND t.\(key.name) IS NULL",
            touching: key.touched + link.tables)
    }

    // MARK: Settling

    /// Returns true if a column may have values.
    private func hasValues(_ key: Key) -> Bool {
        if plan.written[key.change.name]?.contains(key.column) == true { return true }
        guard let index = key.change.columns.firstIndex(where: { $0.name == key.column }) else { return false }
        return key.change.sources[index].contains { $0 != .null }
    }

    private func settleKey(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) {
        guard let key = key(relationship, of: layout), hasValues(key),
            let destination = layouts.byNumber[relationship.destinationNumber],
            let target = plan.change(of: destination)
        else { return }
        let mayDangle = mayDangle(relationship, layout)
        if mayDangle { settle(key, target, destination, "\(layout.name).\(relationship.name)") }
        if needsNumbers(key, mayDangle) { number(key) }
    }

    private func settleOwned(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) {
        guard let key = ownedKey(relationship, of: layout), hasValues(key), let target = plan.change(of: layout) else {
            return
        }
        let mayDangle = mayDangle(relationship, layout)
        if mayDangle { settle(key, target, layout, "\(layout.name).\(relationship.name)") }
        if needsNumbers(key, mayDangle) { number(key) }
    }

    /// Clears keys of rows that are not objects of an entity.
    private func settle(_ key: Key, _ target: TableChange, _ entity: EntityLayout, _ subject: String) {
        let order = key.order.map { ", \(quoted($0)) = NULL" } ?? ""
        let condition = target.condition(plan.formerFamily(of: entity)).sql("d").map { " AND \($0)" } ?? ""
        plan.add(
            .settling, "Clears \(subject) where the object does not continue as \(entity.name).",
            "UPDATE \(key.table) t SET \(key.name) = NULL\(order) WHERE t.\(key.name) IS NOT NULL AND NOT EXISTS "
                + "(SELECT FROM \(quoted(target.name)) d WHERE d.id = t.\(key.name)\(condition))",
            touching: key.touched + (target.origin.map { [$0.name] } ?? []))
    }

    private func settle(_ join: JoinChange) {
        let relationship = join.join.relationship
        guard let far = layouts.byNumber[relationship.destinationNumber] else { return }
        let near = join.join.layout
        let inverse = relationship.inverse.flatMap { inverse in far.relationships.first { $0.name == inverse.name } }
        let mayChange =
            mayDangle(relationship, near) || mayLoseOwners(relationship, near)
            || inverse.map {
                let owner = far.declaring($0.name)
                return mayDangle($0, owner) || mayLoseOwners($0, owner)
            } ?? false
        guard mayChange else { return }
        let table = quoted(join.join.creation.name)
        let back = inverse.flatMap { layouts.byNumber[$0.destinationNumber] } ?? near
        let ends = [[near, back], [far, inverse.map { far.declaring($0.name) } ?? far]]
        for (side, entities) in zip(join.join.sides, ends) {
            guard let target = plan.change(of: entities[0]) else { continue }
            let fitting = plan.formerFamily(of: entities[0]).filter { old in
                plan.models.successor(of: old)?.isKind(of: entities[1]) == true
            }
            let condition = target.condition(fitting).sql("d").map { " AND \($0)" } ?? ""
            plan.add(
                .settling, "Removes links of \(near.name).\(relationship.name) to objects that do not continue.",
                "DELETE FROM \(table) t WHERE NOT EXISTS "
                    + "(SELECT FROM \(quoted(target.name)) d WHERE d.id = t.\(quoted(side.column))\(condition))",
                touching: (join.former.map { [$0] } ?? []) + (target.origin.map { [$0.name] } ?? []))
        }
    }

    /// Clears the keys of two to-one relationships that have become inverses of each other, where they disagree.
    private func settlePair(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) {
        guard let inverse = relationship.inverse, !inverse.isToMany, !inverse.isTransient,
            !wasPair(relationship, layout), let key = key(relationship, of: layout), hasValues(key),
            let destination = layouts.byNumber[relationship.destinationNumber],
            let back = destination.relationships.first(where: { $0.name == inverse.name }),
            let far = self.key(back, of: destination.declaring(back.name))
        else { return }
        plan.add(
            .settling, "Clears \(layout.name).\(relationship.name) where its inverse leads elsewhere.",
            "UPDATE \(key.table) t SET \(key.name) = NULL WHERE t.\(key.name) IS NOT NULL AND NOT EXISTS "
                + "(SELECT FROM \(far.table) d WHERE d.id = t.\(key.name) AND d.\(far.name) = t.id)",
            touching: key.touched + far.touched)
    }

    private func wasPair(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        guard let old = plan.models.origin(of: relationship, in: layout), let name = relationship.inverse?.name,
            let destination = layouts.byNumber[relationship.destinationNumber],
            let inverse = destination.relationships.first(where: { $0.name == name }),
            let other = plan.models.origin(of: inverse, in: destination)
        else { return false }
        return old.inverse?.name == other.name && !old.isToMany && !other.isToMany
    }

    /// Returns true if members may have no position.
    private func needsNumbers(_ key: Key, _ mayDangle: Bool) -> Bool {
        guard let order = key.order else { return false }
        if plan.written[key.change.name]?.contains(key.column) == true { return true }
        guard let keys = key.change.columns.firstIndex(where: { $0.name == key.column }),
            let orders = key.change.columns.firstIndex(where: { $0.name == order })
        else { return true }
        return zip(key.change.sources[keys], key.change.sources[orders]).contains { $0 != .null && $1 == .null }
    }

    /// Numbers members without a position, after those that have one.
    private func number(_ key: Key) {
        guard let order = key.order.map(quoted) else { return }
        plan.add(
            .settling, "Orders objects by \(key.column) in \(PostgreSQLName.unqualified(key.change.name)).",
            "UPDATE \(key.table) t SET \(order) = n.position FROM (SELECT id, "
                + "\(Self.position(within: key.name, by: "\(order) NULLS LAST, id")) AS position FROM \(key.table) "
                + "WHERE \(key.name) IN (SELECT \(key.name) FROM \(key.table) WHERE \(key.name) IS NOT NULL "
                + "AND \(order) IS NULL)) n WHERE t.id = n.id", touching: key.touched)
    }

    // MARK: Dangling keys

    /// Returns true if objects in the source's relationship may no longer belong to its destination entity.
    private func mayDangle(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        guard let destination = layouts.byNumber[relationship.destinationNumber] else { return true }
        return plan.newSchema.family(of: layout).contains { member in
            guard plan.models.origin(of: member) != nil else { return false }
            // A relationship without an origin is filled from its inverse, if at all.
            guard let old = plan.models.origin(of: relationship, in: member),
                let target = plan.oldSchema.layouts.byNumber[old.destinationNumber]
            else { return true }
            return !stays(target, under: destination)
        } || mayLoseOwners(relationship, layout)
    }

    /// Returns true if objects that had the relationship may have moved to entities without it.
    private func mayLoseOwners(_ relationship: EntityLayout.Relationship, _ layout: EntityLayout) -> Bool {
        plan.newSchema.family(of: layout).contains { member in
            guard let origin = plan.models.origin(of: member),
                let old = plan.models.origin(of: relationship, in: member)
            else { return false }
            return !stays(origin.declaring(old.name), under: layout)
        }
    }

    /// Returns true if every object of a source entity becomes one of the given destination entity.
    private func stays(_ old: EntityLayout, under new: EntityLayout) -> Bool {
        plan.oldSchema.family(of: old).allSatisfy { member in
            plan.models.successor(of: member).map { $0.isKind(of: new) } ?? member.isAbstract
        }
    }
}
