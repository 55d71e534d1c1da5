import Foundation

/// The rules of many-to-many relationships' tables.
struct JoinRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    func run(_ join: JoinTable) throws {
        let (first, second) = (join.first, join.second)
        guard check.facts.has(join.name, [first.column, second.column]), let one = schema.entity(first.entity),
            let other = schema.entity(second.entity)
        else { return }
        var scan = RowScan(join.name)
        scan.key = "t.\(first.column.quotedIdentifier)"
        add(from: (first, one), to: (second, other), &scan)
        add(from: (second, other), to: (first, one), &scan)
        try check.reading(join.name, entity: one.name) { try scan.run(check) }
        if !check.facts.hasUniqueIndex(join.name, [first.column, second.column]) { try duplicates(join, one) }
        // A side's column has the positions of its objects in the other side's relationship.
        for (side, owner, entity) in [(first, second, other), (second, first, one)] {
            guard let order = side.order, check.facts.has(join.name, order) else { continue }
            try OrderRules(check, schema).shared(
                join.name, owner: owner.column, order: order, key: side.column, entity: entity.name,
                property: owner.relationship)
        }
        if join.isReflexive { try oneSided(join, one) }
    }

    private typealias End = (side: JoinTable.Side, entity: StoreEntity)

    /// Adds the rules of one side's relationship: its objects exist, and have positions.
    private func add(from: End, to: End, _ scan: inout RowScan) {
        let own = "t.\(from.side.column.quotedIdentifier)"
        let target = "t.\(to.side.column.quotedIdentifier)"
        func condition(
            _ rule: StoreFinding.Rule, _ sql: String, _ message: String
        ) -> RowCondition {
            RowCondition(
                rule: rule, entity: from.entity.name, property: from.side.relationship, sql: sql, message: message,
                remedy: rule == .order ? .mended : .mendedWithLoss, key: own)
        }
        scan.add(condition(.joinRow, "\(target) IS NULL", "Pairs of the relationship have no key at one end."))
        if check.facts.has(to.entity.table, ["Z_PK", "Z_ENT"]) {
            let alias = scan.join(to.entity.table, on: target)
            scan.add(
                condition(
                    .joinRow, "\(target) IS NOT NULL AND \(alias).Z_PK IS NULL",
                    "The relationship refers to objects of \(to.entity.name) that do not exist."))
            if let member = schema.restriction(to: to.entity, alias) {
                scan.add(
                    condition(
                        .joinRow, "NOT \(member)",
                        "The relationship refers to objects that are not of the entity \(to.entity.name)."))
            }
        }
        if let order = to.side.order, check.facts.has(scan.table, order) {
            let position = "t.\(order.quotedIdentifier)"
            scan.add(
                condition(
                    .order, "\(position) IS NULL OR \(position) <> (\(position) | 0)",
                    "Objects have no position in the ordered relationship."))
        }
    }

    private func duplicates(_ join: JoinTable, _ entity: StoreEntity) throws {
        let columns = "\(join.first.column.quotedIdentifier), \(join.second.column.quotedIdentifier)"
        try report(
            join, entity, rule: .joinRow, "Pairs of the relationship occur more than once.",
            "SELECT \(columns), count(*) - 1 FROM \(join.name.quotedIdentifier) NOT INDEXED GROUP BY \(columns) "
                + "HAVING count(*) > 1")
    }

    /// Finds pairs of a relationship that is its own inverse without the opposite pair.
    private func oneSided(_ join: JoinTable, _ entity: StoreEntity) throws {
        let (first, second) = (join.first.column.quotedIdentifier, join.second.column.quotedIdentifier)
        guard check.facts.hasIndex(join.name, [join.first.column]) else { return }
        try report(
            join, entity, rule: .inverse, "Objects are not in the relationship of the objects that they refer to.",
            "SELECT \(first), \(second), 1 FROM \(join.name.quotedIdentifier) t NOT INDEXED WHERE NOT EXISTS "
                + "(SELECT 1 FROM \(join.name.quotedIdentifier) o WHERE o.\(first) = t.\(second) "
                + "AND o.\(second) = t.\(first))")
    }

    private func report(
        _ join: JoinTable, _ entity: StoreEntity, rule: StoreFinding.Rule, _ message: String, _ sql: String
    ) throws {
        var keys: [Int64] = []
        var count = 0
        try check.reading(join.name, entity: entity.name) {
            let statement = try check.database.prepare(sql)
            while try statement.step() {
                count += Int(clamping: statement.integer(2))
                if keys.count < StoreFinding.keyLimit { keys.append(statement.integer(0)) }
            }
        }
        guard count > 0 else { return }
        check.add(
            StoreFinding(
                rule, table: join.name, entity: entity.name, property: join.first.relationship, keys: keys.sorted(),
                count: count, message, remedy: .mended))
    }
}
