/// Where the source keeps the pairs of objects a relationship of the destination connects.
struct LinkSource {
    /// Where they are, seen from the objects that have the relationship.
    let place: ToManyColumns
    /// A to-one relationship's own table and columns; nil for to-many ones.
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

    /// The relationships of the source a relationship of the destination takes its objects from.
    ///
    /// Several, where a relationship moved up to a parent that several entities had.
    static func sources(of name: SQLSchema.RelationshipName, _ session: InPlaceSession) -> [LinkSource] {
        guard let declaring = session.new.byNumber[name.entity] else { return [] }
        var seen: Set<SQLSchema.RelationshipName> = []
        return session.family(of: declaring).compactMap { layout in
            guard let relationship = layout.relationships.first(where: { $0.name == name.name }),
                let origin = session.origin(of: layout),
                let found = session.comparison.sourceRelationship(of: relationship.description, in: layout.entity),
                let source = origin.relationships.first(where: { $0.name == found.name })
            else { return nil }
            let owner = origin.declaring(found.name)
            guard seen.insert(.init(entity: owner.number, name: found.name)).inserted else { return nil }
            return make(source, of: owner, session)
        }
    }

    private static func make(
        _ relationship: EntityLayout.Relationship, of owner: EntityLayout, _ session: InPlaceSession
    ) -> LinkSource? {
        guard session.oldTable(of: owner) != nil, let columns = session.oldSchema.entities[owner.number] else {
            return nil
        }
        if relationship.isToMany {
            return session.oldSchema.columns(of: relationship, in: owner).map { LinkSource(place: $0, key: nil) }
        }
        let cell = columns.cells[relationship.cell]
        guard let column = cell.column else { return nil }
        let numbers = session.oldFamily(of: owner).map { String(session.fileNumber($0)) }.joined(separator: ", ")
        return LinkSource(
            place: .foreignKey(table: columns.table, column: column, entityColumn: nil, order: nil),
            key: (columns.table, column, cell.order, numbers))
    }

    /// Selects `s`, an object with the relationship; `t`, one it leads to; `ot`, the place of `t` among those of `s`; `os`,
    /// the place of `s` among those of `t`.
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

    /// The same, with the sides exchanged.
    func reversedSelection(_ session: InPlaceSession) -> String {
        "SELECT t AS s, s AS t, os AS ot, ot AS os FROM (\(selection(session)))"
    }
}
