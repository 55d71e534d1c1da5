import Foundation

/// Positions of ordered relationships that several objects share. Missing positions are found with the rows.
struct OrderRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    /// Checks the positions in a table of rows with the keys of their owners.
    func run(_ table: EntityTable) throws {
        var places: [(owner: String, order: String, entity: String, property: String)] = []
        for entity in schema.declaring(in: table) {
            for toOne in entity.toOnes {
                if let order = toOne.orderColumn { places.append((toOne.column, order, entity.name, toOne.name)) }
            }
        }
        for entity in schema.entities {
            for toMany in entity.toManys where toMany.inverse == nil {
                if case .foreignKey(let place, let column, _, let order?) = toMany.place, place == table.name,
                    !places.contains(where: { $0.owner == column })
                {
                    places.append((column, order, entity.name, toMany.name))
                }
            }
        }
        for place in places where check.facts.has(table.name, [place.owner, place.order]) {
            try shared(
                table.name, owner: place.owner, order: place.order, key: "Z_PK", entity: place.entity,
                property: place.property)
        }
    }

    /// Finds positions that several members of one owner have.
    ///
    /// - Parameter key: The column of the members' keys.
    func shared(
        _ table: String, owner: String, order: String, key: String, entity: String, property: String
    ) throws {
        let (column, position) = (owner.quotedIdentifier, order.quotedIdentifier)
        // Sorting is faster than reading the rows in the order of an index.
        var keys: [Int64] = []
        var count = 0
        try check.reading(table, entity: entity) {
            let statement = try check.database.prepare(
                "SELECT min(\(key.quotedIdentifier)), count(*) FROM \(table.quotedIdentifier) NOT INDEXED "
                    + "WHERE \(column) IS NOT NULL AND \(position) IS NOT NULL GROUP BY \(column), \(position) "
                    + "HAVING count(*) > 1")
            while try statement.step() {
                count += Int(clamping: statement.integer(1)) - 1
                if keys.count < StoreFinding.keyLimit { keys.append(statement.integer(0)) }
            }
        }
        guard count > 0 else { return }
        check.add(
            StoreFinding(
                .order, table: table, entity: entity, property: property, keys: keys.sorted(), count: count,
                "Objects of one owner share a position in the ordered relationship.", remedy: .mended))
    }
}
