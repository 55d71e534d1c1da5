import CoreDataSQLQueries
import CoreDataRowStorage

/// The place where the source stores the pairs of objects that a relationship of the destination connects.
struct LinkSource {
    /// The place of the pairs, from the side of the objects that have the relationship.
    let place: ToManyColumns
    /// A to-one relationship's own table and columns; nil for to-many relationships.
    let key: (table: String, column: String, order: String?, numbers: String)?

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

    /// The relationship of the source, and the entity that declares it.
    let relationship: EntityLayout.Relationship
    let owner: EntityLayout
    /// The entities, by number in the file, of the objects that have the destination's relationship.
    let owners: [Int]
    /// The entities, by number in the file, of the objects that the destination's relationship may contain.
    let targets: [Int]
    /// The entities, by number in the file, of existing objects that the source's relationship may contain and the
    /// destination's may not.
    let strays: [Int]

    /// Returns the source's relationships that provide the objects of a destination's relationship.
    ///
    /// There are several if a relationship of several entities has moved up to their common parent.
    ///
    /// - Parameter isCarried: false to include relationships to objects that all belong to another hierarchy now.
    static func sources(of name: SQLSchema.RelationshipName, _ session: InPlaceSession, isCarried: Bool = true)
        -> [LinkSource]
    {
        guard let declaring = session.new.byNumber[name.entity] else { return [] }
        var found: [(origin: EntityLayout.Relationship, owner: EntityLayout, owners: [Int])] = []
        var destination: EntityLayout?
        for layout in session.family(of: declaring) {
            guard let relationship = layout.relationships.first(where: { $0.name == name.name }),
                let origin = session.models.origin(of: layout),
                let old = isCarried
                    ? session.models.origin(of: relationship, in: layout)
                    : session.models.former(relationship, in: layout)
            else { continue }
            destination = session.new.byNumber[relationship.destinationNumber]
            let owner = origin.declaring(old.name)
            let number = session.fileNumber(origin)
            if let index = found.firstIndex(where: { $0.owner === owner && $0.origin.name == old.name }) {
                found[index].owners.append(number)
            } else {
                found.append((old, owner, [number]))
            }
        }
        return found.compactMap { make($0.origin, of: $0.owner, owners: $0.owners, destination: destination, session) }
    }

    private static func make(
        _ relationship: EntityLayout.Relationship, of owner: EntityLayout, owners: [Int], destination: EntityLayout?,
        _ session: InPlaceSession
    ) -> LinkSource? {
        guard session.oldTable(of: owner) != nil, let columns = session.oldSchema.entities[owner.number],
            let target = session.old.byNumber[relationship.destinationNumber], let destination
        else { return nil }
        let survivors = session.oldFamily(of: target).filter { session.models.successor(of: $0) != nil }
        let fitting = survivors.filter { session.models.successor(of: $0)?.isKind(of: destination) == true }
        let targets = fitting.map(session.fileNumber)
        let strays = survivors.map(session.fileNumber).filter { !targets.contains($0) }
        func source(_ place: ToManyColumns, _ key: (table: String, column: String, order: String?, numbers: String)?)
            -> LinkSource
        {
            LinkSource(
                place: place, key: key, relationship: relationship, owner: owner, owners: owners, targets: targets,
                strays: strays)
        }
        if relationship.isToMany {
            return session.oldSchema.columns(of: relationship, in: owner).map { source($0, nil) }
        }
        let cell = columns.cells[relationship.cell]
        guard let column = cell.column else { return nil }
        let numbers = session.oldFamily(of: owner).map { String(session.fileNumber($0)) }.joined(separator: ", ")
        return source(
            .foreignKey(table: columns.table, column: column, entityColumn: nil, order: nil),
            (columns.table, column, cell.order, numbers))
    }

    /// Returns true if the two relationships were inverses of each other.
    func isInverse(of other: LinkSource, _ session: InPlaceSession) -> Bool {
        relationship.inverse?.name == other.relationship.name
            && session.old.byNumber[relationship.destinationNumber]?.isKind(of: other.owner) == true
    }

    /// Returns ``selection(_:)`` with `se` and `te`, the entity numbers of `s` and `t` in the file, restricted to objects
    /// that have the relationship and to the given destination entities; nil if there is nothing to select.
    func pairs(to entities: [Int], _ session: InPlaceSession) -> String? {
        guard !owners.isEmpty, !entities.isEmpty, let table = session.oldTable(of: owner),
            let target = session.old.byNumber[relationship.destinationNumber].flatMap(session.oldTable)
        else { return nil }
        func list(_ numbers: [Int]) -> String { numbers.map { String($0) }.joined(separator: ", ") }
        return "SELECT l.s AS s, l.t AS t, l.ot AS ot, l.os AS os, a.Z_ENT AS se, b.Z_ENT AS te "
            + "FROM (\(selection(session))) l "
            + "JOIN \(session.current(table)) a ON a.Z_PK = l.s AND a.Z_ENT IN (\(list(owners))) "
            + "JOIN \(session.current(target)) b ON b.Z_PK = l.t AND b.Z_ENT IN (\(list(entities)))"
    }

    /// Returns the SQL that selects `s`, an object with the relationship; `t`, an object in it; `ot`, the order of `t` among
    /// those of `s`; `os`, the order of `s` among those of `t`.
    func selection(_ session: InPlaceSession) -> String {
        if let key {
            return "SELECT Z_PK AS s, \(key.column) AS t, NULL AS ot, \(key.order ?? "NULL") AS os "
                + "FROM \(session.current(key.table)) WHERE \(key.column) IS NOT NULL AND Z_ENT IN (\(key.numbers))"
        }
        switch place {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            return "SELECT \(column) AS s, Z_PK AS t, \(order ?? "NULL") AS ot, NULL AS os "
                + "FROM \(session.current(table)) WHERE \(column) IS NOT NULL"
        case .join(let table, let source, let target, let order, let sourceOrder, _):
            return "SELECT \(source) AS s, \(target) AS t, \(order ?? "NULL") AS ot, \(sourceOrder ?? "NULL") AS os "
                + "FROM \(session.current(table))"
        }
    }

    /// Returns ``selection(_:)`` with the two sides exchanged.
    func reversedSelection(_ session: InPlaceSession) -> String {
        "SELECT t AS s, s AS t, os AS ot, ot AS os FROM (\(selection(session)))"
    }

    /// Returns the valid pairs with the two sides exchanged.
    func reversedPairs(_ session: InPlaceSession) -> String? {
        pairs(to: targets, session).map {
            "SELECT t AS s, s AS t, os AS ot, ot AS os, te AS se, se AS te FROM (\($0))"
        }
    }
}
