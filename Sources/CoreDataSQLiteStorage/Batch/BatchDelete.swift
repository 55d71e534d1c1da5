import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// Deletes rows by set, with the delete rules of their relationships: no row is read for itself.
struct BatchDelete {
    private let engine: SQLiteEngine
    private let connection: SQLiteConnection
    private let history: HistoryRecorder?
    private let files: ExternalFileChanges
    private var doomed: [Int: Set<Int64>] = [:]

    init(
        _ engine: SQLiteEngine, _ connection: SQLiteConnection, history: HistoryRecorder?, files: ExternalFileChanges
    ) {
        self.engine = engine
        self.connection = connection
        self.history = history
        self.files = files
    }

    mutating func run(_ rows: ContiguousArray<RowReference>) throws {
        try collect(rows)
        for (number, keys) in doomed.sorted(by: { $0.key < $1.key }) {
            guard let layout = engine.layouts.byNumber[number] else { continue }
            try applyRules(of: layout, KeyArray(keys: ContiguousArray(keys)))
        }
        if let history { try record(history) }
        for (number, keys) in doomed {
            guard let layout = engine.layouts.byNumber[number] else { continue }
            try delete(layout, KeyArray(keys: ContiguousArray(keys)))
        }
    }

    private func record(_ history: HistoryRecorder) throws {
        for (number, keys) in doomed.sorted(by: { $0.key < $1.key }) {
            guard let layout = engine.layouts.byNumber[number] else { continue }
            for key in keys.sorted() {
                try history.record(
                    .delete, layout, key: key, tombstones: engine.tombstones(of: key, layout, connection))
            }
        }
        try history.finish()
    }

    // MARK: Which rows

    /// The rows given and all that cascades reach.
    private mutating func collect(_ rows: ContiguousArray<RowReference>) throws {
        var pending = rows
        while !pending.isEmpty {
            var fresh: [Int: ContiguousArray<Int64>] = [:]
            for row in pending where doomed[row.entityNumber, default: []].insert(row.key).inserted {
                fresh[row.entityNumber, default: []].append(row.key)
            }
            pending = []
            for (number, keys) in fresh {
                guard let layout = engine.layouts.byNumber[number] else { continue }
                for relationship in layout.relationships where relationship.deleteRule == .cascade {
                    pending += try related(relationship, of: layout, KeyArray(keys: keys))
                }
            }
        }
    }

    /// The rows a relationship leads to from any of the given ones.
    private func related(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ keys: KeyArray
    ) throws -> ContiguousArray<RowReference> {
        guard let destination = engine.layouts.byNumber[relationship.destinationNumber] else { return [] }
        let own = try engine.columns(of: layout)
        let target = try engine.columns(of: destination)
        let source: String
        if relationship.isToMany {
            switch engine.schema.columns(of: relationship, in: layout) {
            case .foreignKey(let table, let column, _, _), .owned(let table, let column, _):
                source = "SELECT Z_PK FROM \(table) WHERE \(column) IN (SELECT value FROM CDArray(?1))"
            case .join(let table, let mine, let other, _, _, let isReflexive):
                let forward = "SELECT \(other) FROM \(table) WHERE \(mine) IN (SELECT value FROM CDArray(?1))"
                let back = "SELECT \(mine) FROM \(table) WHERE \(other) IN (SELECT value FROM CDArray(?1))"
                source = isReflexive ? "\(forward) UNION \(back)" : forward
            case nil: return []
            }
        } else {
            guard let column = own.cells[relationship.cell].column else { return [] }
            source = "SELECT \(column) FROM \(own.table) WHERE Z_PK IN (SELECT value FROM CDArray(?1))"
        }
        let entity = target.hasSubentities ? ", t0.Z_ENT" : ""
        let statement = try connection.statement(
            engine.text("SELECT t0.Z_PK\(entity) FROM \(target.table) t0 WHERE t0.Z_PK IN (\(source))"))
        try statement.bind(keys, at: 1)
        return try engine.references(statement, number: destination.number, isPolymorphic: target.hasSubentities)
    }

    // MARK: Rules

    private func applyRules(of layout: EntityLayout, _ keys: KeyArray) throws {
        for relationship in layout.relationships {
            switch relationship.deleteRule {
            case .deny: try checkDenied(relationship, of: layout, keys)
            case .nullify, .cascade: try detach(relationship, of: layout, keys)
            default: break
            }
        }
    }

    private func survivors(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ keys: KeyArray
    ) throws -> ContiguousArray<RowReference> {
        try related(relationship, of: layout, keys).filter { !(doomed[$0.entityNumber]?.contains($0.key) ?? false) }
    }

    private func checkDenied(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ keys: KeyArray
    ) throws {
        guard try !survivors(relationship, of: layout, keys).isEmpty else { return }
        throw CoreDataError.make(
            NSValidationRelationshipDeniedDeleteError, description: "The batch delete is denied by a delete rule.",
            reason:
                "Objects to be deleted still have objects in \(layout.name).\(relationship.name), whose rule is deny.",
            advice: "Delete or detach those objects first.", entity: layout.name, key: relationship.name)
    }

    /// Takes the rows out of the inverse relationships of those that stay.
    private func detach(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ keys: KeyArray
    ) throws {
        guard let inverse = relationship.inverse, !inverse.isToMany,
            let destination = engine.layouts.byNumber[relationship.destinationNumber],
            case .cell(let cell)? = destination.members[inverse.name]
        else { return }
        if !inverse.isOptional, try !survivors(relationship, of: layout, keys).isEmpty {
            throw CoreDataError.make(
                NSValidationMissingMandatoryPropertyError,
                description: "The batch delete would leave objects without a required one.",
                reason:
                    "\(destination.name).\(inverse.name) is not optional, and objects that stay point to deleted ones.",
                advice: "Use the cascade rule for \(layout.name).\(relationship.name), or delete those objects too.",
                entity: destination.name, key: inverse.name)
        }
        let columns = try engine.columns(of: destination)
        let place = columns.cells[cell]
        guard let column = place.column else { return }
        let cleared = [column, place.entityColumn, place.order].compactMap { $0 }.map { "\($0) = NULL" }
        let statement = try connection.statement(
            engine.text(
                "UPDATE \(columns.table) SET \(cleared.joined(separator: ", ")), Z_OPT = IFNULL(Z_OPT, 0) + 1 "
                    + "WHERE \(column) IN (SELECT value FROM CDArray(?1))"))
        try statement.bind(keys, at: 1)
        try statement.run()
    }

    // MARK: Deleting

    private func delete(_ layout: EntityLayout, _ keys: KeyArray) throws {
        let columns = try engine.columns(of: layout)
        let external = columns.cells.compactMap { $0.isExternal ? $0.column : nil }
        if !external.isEmpty {
            let statement = try connection.prepare(
                "SELECT \(external.joined(separator: ", ")) FROM \(columns.table) "
                    + "WHERE Z_PK IN (SELECT value FROM CDArray(?1))")
            try statement.bind(keys, at: 1)
            while try statement.step() {
                for column in 0..<Int32(external.count) { statement.bytes(column).map(files.noteObsolete) }
            }
        }
        for relationship in layout.relationships {
            switch engine.schema.columns(of: relationship, in: layout) {
            case .join(let table, let own, let target, _, _, let isReflexive):
                try run("DELETE FROM \(table) WHERE \(own) IN (SELECT value FROM CDArray(?1))", keys)
                if isReflexive {
                    try run("DELETE FROM \(table) WHERE \(target) IN (SELECT value FROM CDArray(?1))", keys)
                }
            case .owned(let table, let column, let order):
                let position = order.map { ", \($0) = NULL" } ?? ""
                try run(
                    "UPDATE \(table) SET \(column) = NULL\(position) WHERE \(column) IN (SELECT value FROM CDArray(?1))",
                    keys)
            case .foreignKey, nil: break
            }
        }
        try run("DELETE FROM \(columns.table) WHERE Z_PK IN (SELECT value FROM CDArray(?1))", keys)
    }

    private func run(_ sql: String, _ keys: KeyArray) throws {
        let statement = try connection.statement(engine.text(sql))
        try statement.bind(keys, at: 1)
        try statement.run()
    }
}
