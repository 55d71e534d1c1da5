import CoreDataRowStorage

/// The migration of a many-to-many relationship's table.
final class JoinMigration {
    let join: JoinTable
    private let session: InPlaceSession
    private let links: RelationshipLinks
    let staysInPlace: Bool

    var isFilled: Bool { !links.own.isEmpty || !links.foreign.isEmpty }

    init(_ join: JoinTable, _ session: InPlaceSession) {
        self.join = join
        self.session = session
        links = RelationshipLinks(join.first, inverse: join.isReflexive ? nil : join.second, session)
        staysInPlace = links.foreign.isEmpty && Self.canStay(join, links.own, session)
    }

    private static func canStay(_ join: JoinTable, _ links: [LinkSource], _ session: InPlaceSession) -> Bool {
        guard links.count == 1, links[0].key == nil,
            case .join(let table, let source, let target, let order, let sourceOrder, let isReflexive) = links[0].place
        else { return false }
        return table == join.name && source == join.firstColumn && target == join.secondColumn
            && order == join.secondOrder && sourceOrder == join.firstOrder && isReflexive == join.isReflexive
            && session.actual.creation(of: table) == join.creation
    }

    func copyRows() throws {
        guard !staysInPlace else { return }
        try session.connection.execute(join.creation)
        for link in links.own {
            try copy(link.selection(session), hasOrder: link.hasOrder, hasSourceOrder: link.hasSourceOrder)
        }
        for link in links.foreign {
            try copy(link.reversedSelection(session), hasOrder: link.hasSourceOrder, hasSourceOrder: link.hasOrder)
        }
    }

    private func copy(_ selection: String, hasOrder: Bool, hasSourceOrder: Bool) throws {
        var names = [join.firstColumn, join.secondColumn]
        var expressions = ["s", "t"]
        if let column = join.firstOrder {
            names.append(column)
            expressions.append(hasSourceOrder ? "os" : Self.newOrder(within: "t", by: "s"))
        }
        if let column = join.secondOrder {
            names.append(column)
            expressions.append(hasOrder ? "ot" : Self.newOrder(within: "s", by: "t"))
        }
        try session.connection.execute(
            "INSERT OR IGNORE INTO \(join.name) (\(names.joined(separator: ", "))) "
                + "SELECT \(expressions.joined(separator: ", ")) FROM (\(selection))")
    }

    /// Returns the SQL of order keys for objects without an order: by primary key, that is, by age.
    static func newOrder(within owner: String, by member: String) -> String {
        "\(OrderKeys.first) + \(OrderKeys.step) * (ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(member)) - 1)"
    }
}
