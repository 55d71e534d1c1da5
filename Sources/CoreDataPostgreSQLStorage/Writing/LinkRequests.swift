#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The statements that write relationships outside of the rows: join tables, keys of relationships without an inverse, and
/// the positions of ordered relationships.
struct LinkRequests {
    private let changes: StoreChanges
    private let keys: KeyAssignment
    private let tables: PostgreSQLTables

    init(_ changes: StoreChanges, _ keys: KeyAssignment, _ engine: PostgreSQLEngine) {
        self.changes = changes
        self.keys = keys
        tables = engine.tables
    }

    /// The position of the first object of an ordered relationship, and the distance to the next one, as in Core Data's
    /// SQLite stores.
    private static let (first, step): (Int64, Int64) = (2048, 1024)

    /// The pairs of one relationship, in the order of the changes.
    private struct Pairs {
        let columns: ToManyColumns
        var sources: [Int64] = []
        var targets: [Int64] = []

        mutating func add(_ source: Int64, _ target: Int64) {
            sources.append(source)
            targets.append(target)
        }
    }

    /// The columns of a relationship outside of the rows: those of two relationships differ.
    private struct Place: Hashable {
        let table: String
        let column: String

        /// Returns nil for a relationship without links outside of the rows.
        init?(_ columns: ToManyColumns) {
            switch columns {
            case .foreignKey: return nil
            case .owned(let table, let column, _), .join(let table, let column, _, _, _, _):
                self.table = table
                self.column = column
            }
        }
    }

    /// Returns all removals first, then additions, then positions.
    func make() throws -> [PipelineRequest] {
        var requests: [PipelineRequest] = []
        requests += try pairs { change in
            // An object that was never saved has no links to remove.
            change.removed.compactMap { keys.key(of: $0) }
        }.flatMap(removal)
        requests += try pairs { change in try change.added.map { try key($0, change) } }.flatMap(addition)
        requests += try positions()
        requests += try unplaced()
        return requests
    }

    private func key(_ reference: RowReference, _ change: StoreChanges.LinkChanges) throws -> Int64 {
        if let key = keys.key(of: reference) { return key }
        throw SaveFailure.danglingReference(change.layout, change.relationship.name)
    }

    private func pairs(_ others: (StoreChanges.LinkChanges) throws -> [Int64]) throws -> [Pairs] {
        var pairs: [Pairs] = []
        var places: [Place: Int] = [:]
        for change in changes.toMany {
            let targets = try others(change)
            guard !targets.isEmpty, let columns = tables.columns(of: change.relationship, in: change.layout),
                let place = Place(columns)
            else { continue }
            let index = places[place] ?? pairs.count
            if index == pairs.count {
                places[place] = index
                pairs.append(Pairs(columns: columns))
            }
            let source = try key(change.source, change)
            for target in targets { pairs[index].add(source, target) }
        }
        return pairs
    }

    private func request(_ sql: String, _ lists: [Int64]...) -> PipelineRequest {
        var parameters = ParameterList()
        for list in lists { parameters.add(list) }
        return PipelineRequest(ServerStatement(sql), parameters)
    }

    private func name(_ name: String) -> String { PostgreSQLName.quoted(name) }

    // MARK: Membership

    private func removal(_ pairs: Pairs) -> [PipelineRequest] {
        switch pairs.columns {
        case .join(let table, let own, let target, _, _, let isReflexive):
            let sql =
                "DELETE FROM \(name(table)) t USING unnest($1::bigint[], $2::bigint[]) AS d(a, b) "
                + "WHERE t.\(name(own)) = d.a AND t.\(name(target)) = d.b"
            let there = request(sql, pairs.sources, pairs.targets)
            return isReflexive ? [there, request(sql, pairs.targets, pairs.sources)] : [there]
        case .owned(let table, let column, let order):
            let position = order.map { ", \(name($0)) = NULL" } ?? ""
            return [
                request(
                    "UPDATE \(name(table)) t SET \(name(column)) = NULL\(position) "
                        + "FROM unnest($1::bigint[], $2::bigint[]) AS d(a, b) WHERE t.id = d.b AND t.\(name(column)) = d.a",
                    pairs.sources, pairs.targets)
            ]
        case .foreignKey: return []
        }
    }

    private func addition(_ pairs: Pairs) -> [PipelineRequest] {
        switch pairs.columns {
        case .join(let table, let own, let target, let order, let sourceOrder, let isReflexive):
            var names = [name(own), name(target)]
            var values = ["d.a", "d.b"]
            // Positions are inserted with the link, so that a pair reported from one side is ordered on both.
            for (position, owner, value) in [(order, own, "a"), (sourceOrder, target, "b")] {
                guard let position else { continue }
                names.append(name(position))
                values.append(Self.next(name(position), in: name(table), where: name(owner), is: "d.\(value)"))
            }
            let sql =
                "INSERT INTO \(name(table)) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
                + "FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS d(a, b, n) ON CONFLICT DO NOTHING"
            let there = request(sql, pairs.sources, pairs.targets)
            return isReflexive ? [there, request(sql, pairs.targets, pairs.sources)] : [there]
        case .owned(let table, let column, let order):
            let position = order.map { order in
                ", \(name(order)) = "
                    + "(SELECT coalesce(max(s.\(name(order))), \(Self.first - Self.step)) FROM \(name(table)) s "
                    + "WHERE s.\(name(column)) = d.a) + \(Self.step) * d.n"
            }
            let update =
                "UPDATE \(name(table)) t SET \(name(column)) = d.a\(position ?? "") "
                + "FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS d(a, b, n) WHERE t.id = d.b"
            // The destinations must exist: no foreign key fails for them.
            var parameters = ParameterList()
            parameters.add(pairs.sources)
            parameters.add(pairs.targets)
            parameters.add(Int64(Set(pairs.targets).count))
            return [
                PipelineRequest(
                    ServerStatement(
                        "WITH changed AS (\(update) RETURNING 1) "
                            + "SELECT 1 / (count(*) = $3::bigint)::integer FROM changed"), parameters)
            ]
        case .foreignKey: return []
        }
    }

    /// Returns the position after the last one of an owner.
    private static func next(_ order: String, in table: String, where owner: String, is value: String) -> String {
        "(SELECT coalesce(max(s.\(order)), \(first - step)) FROM \(table) s WHERE s.\(owner) = \(value)) "
            + "+ \(step) * row_number() OVER (PARTITION BY \(value) ORDER BY d.n)"
    }

    // MARK: Order

    /// Returns the statements that write whole orders; rows that have their position already are not written.
    private func positions() throws -> [PipelineRequest] {
        try changes.toMany.compactMap { change in
            guard let wanted = change.order, let columns = tables.columns(of: change.relationship, in: change.layout)
            else { return nil }
            let place: (table: String, owner: String, member: String, order: String)
            switch columns {
            case .join(let table, let own, let target, let order?, _, _):
                place = (name(table), name(own), name(target), name(order))
            case .owned(let table, let column, let order?), .foreignKey(let table, let column, _, let order?):
                place = (name(table), name(column), "id", name(order))
            default: return nil
            }
            var parameters = ParameterList()
            parameters.add(try key(change.source, change))
            parameters.add(try wanted.map { try key($0, change) })
            return PipelineRequest(
                ServerStatement(
                    "UPDATE \(place.table) t SET \(place.order) = \(Self.first - Self.step) + \(Self.step) * d.n "
                        + "FROM unnest($2::bigint[]) WITH ORDINALITY AS d(id, n) "
                        + "WHERE t.\(place.owner) = $1::bigint AND t.\(place.member) = d.id "
                        + "AND t.\(place.order) IS DISTINCT FROM \(Self.first - Self.step) + \(Self.step) * d.n"),
                parameters)
        }
    }

    /// Returns the statements that append rows which joined an ordered relationship from its to-one side, without an explicit
    /// order.
    private func unplaced() throws -> [PipelineRequest] {
        var requests: [PipelineRequest] = []
        for group in changes.inserts + changes.updates {
            let columns = try tables.columns(of: group.layout)
            for (cell, place) in columns.cells.enumerated() {
                guard let order = place.order.map(name), let column = place.column.map(name) else { continue }
                let rows = group.rows.filter { EntityLayout.isPresent($0.row, cell) }
                guard !rows.isEmpty else { continue }
                let table = name(columns.table)
                let next = Self.next(order, in: table, where: column, is: "m.\(column)")
                requests.append(
                    request(
                        "UPDATE \(table) t SET \(order) = p.position FROM (SELECT m.id, \(next) AS position "
                            + "FROM unnest($1::bigint[]) WITH ORDINALITY AS d(id, n) JOIN \(table) m ON m.id = d.id "
                            + "WHERE m.\(order) IS NULL AND m.\(column) IS NOT NULL) AS p WHERE t.id = p.id",
                        rows.map { $0.key < 0 ? keys.keys[$0.key] ?? 0 : $0.key }))
            }
        }
        return requests
    }
}
#endif
