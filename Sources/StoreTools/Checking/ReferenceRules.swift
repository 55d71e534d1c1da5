import Foundation

/// The rules of keys in entity tables: to-one relationships, and to-many relationships without inverse.
struct ReferenceRules {
    private let rules: RowRules
    private var schema: StoreSchema { rules.schema }
    private var facts: FileFacts { rules.check.facts }

    init(_ rules: RowRules) { self.rules = rules }

    // MARK: To-one relationships

    func add(_ toOne: StoredToOne, of entity: StoreEntity, to scan: inout RowScan) {
        let table = rules.table.name
        guard facts.has(table, toOne.column), let destination = schema.entity(toOne.destination) else { return }
        let key = "t.\(toOne.column.quotedIdentifier)"
        let own = schema.restriction(to: entity, "t").map { " AND \($0)" } ?? ""
        func add(
            _ rule: StoreFinding.Rule, _ sql: String, _ message: String, _ remedy: StoreFinding.Remedy,
            detail: String? = nil, cause: (@Sendable (Int64) -> String?)? = nil
        ) {
            scan.add(
                RowCondition(
                    rule: rule, entity: entity.name, property: toOne.name, sql: "(\(sql))\(own)", message: message,
                    remedy: remedy, detail: detail, cause: cause))
        }
        if toOne.isRequired {
            add(.requiredValue, "\(key) IS NULL", "The required object is missing.", .none)
        }
        let hasOrder = toOne.orderColumn.map { facts.has(table, $0) } ?? false
        if let order = toOne.orderColumn, hasOrder { addOrder(key, order, add: add) }
        guard facts.has(destination.table, ["Z_PK", "Z_ENT"]) else { return }
        let other = scan.join(destination.table, on: key)
        // A rescue makes the relationship nil.
        let remedy = StoreFinding.Remedy.mendedWithLoss
        // Core Data leaves keys of deleted objects in relationships without inverse: only keys that no object has had are wrong.
        let highest = toOne.inverse == nil ? rules.check.highestKey(ofTable: destination.table) : nil
        add(
            .danglingReference,
            "\(key) IS NOT NULL AND \(other).Z_PK IS NULL\(highest.map { " AND \(key) NOT BETWEEN 1 AND \($0)" } ?? "")",
            "The relationship refers to objects of \(destination.name) that do not exist.", remedy, detail: key,
            cause: cause(destination))
        if let member = schema.restriction(to: destination, other) {
            add(
                .danglingReference, "NOT \(member)",
                "The relationship refers to objects that are not of the entity \(destination.name).", remedy)
        }
        if let column = toOne.entityColumn, facts.has(table, column) {
            add(
                .referenceEntity,
                "t.\(column.quotedIdentifier) IS NOT \(other).Z_ENT AND (\(key) IS NULL OR \(other).Z_PK IS NOT NULL)",
                "The entity number in \(column) is not that of the object.", .mended)
        }
        if !toOne.isInverseToMany, let inverse = toOne.inverse,
            let back = destination.toOnes.first(where: { $0.name == inverse }),
            facts.has(destination.table, back.column)
        {
            add(
                .inverse, "\(other).Z_PK IS NOT NULL AND \(other).\(back.column.quotedIdentifier) IS NOT t.Z_PK",
                "The object refers to another one by its inverse \(inverse).", .mended)
        }
    }

    private func addOrder(
        _ key: String, _ order: String,
        add: (StoreFinding.Rule, String, String, StoreFinding.Remedy, String?, (@Sendable (Int64) -> String?)?) -> Void
    ) {
        let position = "t.\(order.quotedIdentifier)"
        add(
            .order, "\(key) IS NOT NULL AND (\(position) IS NULL OR \(position) <> (\(position) | 0))",
            "The object has no position in the ordered relationship.", .mended, nil, nil)
    }

    /// Returns the cause of missing objects, as far as the keys tell it.
    private func cause(_ destination: StoreEntity) -> @Sendable (Int64) -> String? {
        if facts.damaged.contains(destination.table.uppercased()) {
            return { _ in "Rows of \(destination.table) are lost: its pages are damaged." }
        }
        guard let assigned = rules.check.highestKey(ofTable: destination.table) else { return { _ in nil } }
        // Z_MAX may be damaged as well.
        let used = try? rules.check.database.integer("SELECT max(Z_PK) FROM \(destination.table.quotedIdentifier)")
        let highest = max(assigned, used ?? 0)
        return { key in
            key > highest
                ? "The file has never given out such keys: the objects were saved in a log (-wal) that is missing, or a "
                    + "program wrote the keys without Core Data."
                : "The rows were deleted without Core Data, or are lost."
        }
    }

    // MARK: To-many relationships without inverse

    /// Adds the rules of the key that rows of this table have for an owner.
    func add(owned toMany: StoredToMany, by owner: StoreEntity, to scan: inout RowScan) {
        guard case .foreignKey(let table, let column, _, let order) = toMany.place,
            table == rules.table.name, facts.has(table, column)
        else { return }
        let key = "t.\(column.quotedIdentifier)"
        func condition(_ rule: StoreFinding.Rule, _ sql: String, _ message: String) -> RowCondition {
            RowCondition(
                rule: rule, entity: owner.name, property: toMany.name, sql: sql, message: message,
                remedy: rule == .danglingReference ? .mendedWithLoss : .mended)
        }
        if let order, facts.has(table, order) {
            let position = "t.\(order.quotedIdentifier)"
            scan.add(
                condition(
                    .order, "\(key) IS NOT NULL AND (\(position) IS NULL OR \(position) <> (\(position) | 0))",
                    "Objects of \(table) have no position in the ordered relationship."))
        }
        guard facts.has(owner.table, ["Z_PK", "Z_ENT"]) else { return }
        let other = scan.join(owner.table, on: key)
        var dangling = condition(
            .danglingReference, "\(key) IS NOT NULL AND \(other).Z_PK IS NULL",
            "Objects of \(table) belong to owners that do not exist.")
        dangling.detail = key
        dangling.cause = cause(owner)
        scan.add(dangling)
        if let member = schema.restriction(to: owner, other) {
            scan.add(
                condition(
                    .danglingReference, "NOT \(member)",
                    "Objects of \(table) belong to owners that are not of the entity \(owner.name)."))
        }
    }
}
