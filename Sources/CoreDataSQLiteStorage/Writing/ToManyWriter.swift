import CoreDataSQLQueries
import CoreDataRowStorage

/// Writes the relationships that the rows themselves do not hold: join tables, keys of relationships without an inverse, and
/// order keys of ordered relationships.
struct ToManyWriter {
    private let save: SaveOperation
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection

    init(_ save: SaveOperation) {
        self.save = save
        engine = save.engine
        connection = save.connection
    }

    /// Writes all removals first, then additions, then orders.
    func write(_ changes: [StoreChanges.LinkChanges]) throws {
        for change in changes { try remove(change) }
        for change in changes { try add(change) }
        for change in changes { try order(change) }
        try placeUnordered()
    }

    private func columns(_ change: StoreChanges.LinkChanges) -> ToManyColumns? {
        engine.schema.columns(of: change.relationship, in: change.layout)
    }

    private func key(_ reference: RowReference, _ change: StoreChanges.LinkChanges) throws -> Int64 {
        guard let key = save.keys.key(of: reference) else {
            throw CoreDataError.make(
                NSManagedObjectReferentialIntegrityError,
                description: "A relationship leads to an object that is not saved.",
                reason: "\(change.layout.name).\(change.relationship.name) holds an unsaved object that is not part of "
                    + "this save.",
                advice: "Save both objects together, in one context and one store.", entity: change.layout.name,
                key: change.relationship.name)
        }
        return key
    }

    private func run(_ sql: String, _ values: Int64...) throws {
        let statement = try connection.statement(engine.text(sql))
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }

    // MARK: Membership

    private func remove(_ change: StoreChanges.LinkChanges) throws {
        guard !change.removed.isEmpty, let columns = columns(change) else { return }
        let source = try key(change.source, change)
        for reference in change.removed {
            // An object that was never saved has no links to remove.
            guard let other = save.keys.key(of: reference) else { continue }
            switch columns {
            case .join(let table, let own, let target, _, _, let isReflexive):
                let sql = "DELETE FROM \(table) WHERE \(own) = ? AND \(target) = ?"
                try run(sql, source, other)
                if isReflexive { try run(sql, other, source) }
            case .owned(let table, let column, let order):
                let position = order.map { ", \($0) = NULL" } ?? ""
                try run(
                    "UPDATE \(table) SET \(column) = NULL\(position) WHERE Z_PK = ? AND \(column) = ?", other, source)
            case .foreignKey: break
            }
        }
    }

    private func add(_ change: StoreChanges.LinkChanges) throws {
        guard !change.added.isEmpty, let columns = columns(change) else { return }
        let source = try key(change.source, change)
        for reference in change.added {
            let other = try key(reference, change)
            switch columns {
            case .join(let table, let own, let target, let order, let sourceOrder, let isReflexive):
                // Order keys are inserted with the link, so that a pair reported from one side is ordered on both.
                var names = [own, target]
                var values = ["?1", "?2"]
                for (position, owner, value) in [(order, own, "?1"), (sourceOrder, target, "?2")] {
                    guard let position else { continue }
                    names.append(position)
                    values.append(
                        "(SELECT IFNULL(MAX(\(position)), 1024) + 1024 FROM \(table) WHERE \(owner) = \(value))")
                }
                let list = values.joined(separator: ", ")
                let sql =
                    "INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", "))) "
                    + (engine.schema.keylessJoins.contains(table)
                        ? "SELECT \(list) WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE \(own) = ?1 AND \(target) = ?2)"
                        : "VALUES (\(list))")
                try run(sql, source, other)
                if isReflexive && source != other { try run(sql, other, source) }
            case .owned(let table, let column, let order):
                let position =
                    order.map {
                        ", \($0) = (SELECT IFNULL(MAX(\($0)), 1024) + 1024 FROM \(table) WHERE \(column) = ?1)"
                    } ?? ""
                try run("UPDATE \(table) SET \(column) = ?1\(position) WHERE Z_PK = ?2", source, other)
            case .foreignKey: break
            }
        }
    }

    // MARK: Order

    private func order(_ change: StoreChanges.LinkChanges) throws {
        guard let wanted = change.order, let columns = columns(change) else { return }
        let source = try key(change.source, change)
        let selection: String
        let update: String
        switch columns {
        case .join(let table, let own, let target, let order?, _, _):
            selection = "SELECT \(target), \(order) FROM \(table) WHERE \(own) = ?"
            update = "UPDATE \(table) SET \(order) = ?1 WHERE \(own) = ?2 AND \(target) = ?3"
        case .owned(let table, let column, let order?), .foreignKey(let table, let column, _, let order?):
            selection = "SELECT Z_PK, \(order) FROM \(table) WHERE \(column) = ?"
            update = "UPDATE \(table) SET \(order) = ?1 WHERE \(column) = ?2 AND Z_PK = ?3"
        default: return
        }
        var current: [Int64: Int64] = [:]
        let statement = try connection.statement(engine.text(selection))
        try statement.bind(source, at: 1)
        while try statement.step() { current[statement.integer(0)] = statement.integer(1) }
        let keys = try wanted.map { try key($0, change) }
        let numbers = OrderKeys.assign(keys.map { key in current[key].flatMap { $0 > 0 ? $0 : nil } })
        for (place, number) in numbers { try run(update, number, source, keys[place]) }
    }

    /// Appends rows that joined an ordered relationship from its to-one side, without an explicit order.
    private func placeUnordered() throws {
        for group in save.changes.inserts + save.changes.updates {
            guard let columns = engine.schema.entities[group.layout.number] else { continue }
            for (cell, place) in columns.cells.enumerated() {
                guard let order = place.order, let column = place.column else { continue }
                let statement = try connection.statement(
                    engine.text(
                        "UPDATE \(columns.table) SET \(order) = (SELECT IFNULL(MAX(s.\(order)), 1024) + 1024 FROM "
                            + "\(columns.table) s WHERE s.\(column) = \(columns.table).\(column)) "
                            + "WHERE Z_PK = ? AND \(order) IS NULL AND \(column) IS NOT NULL"))
                for row in group.rows where EntityLayout.isPresent(row.row, cell) {
                    try statement.bind(row.key < 0 ? save.keys.keys[row.key] ?? 0 : row.key, at: 1)
                    try statement.run()
                }
            }
        }
    }
}
