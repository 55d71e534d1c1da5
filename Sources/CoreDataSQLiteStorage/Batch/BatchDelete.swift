import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// Deletes rows set by set and applies the delete rules of their relationships, without reading the rows one by one.
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

    // MARK: Collecting rows

    /// Collects the given rows and, transitively, every row that their cascading relationships reach.
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

    /// Returns the rows that a relationship of any of the given rows leads to.
    private func related(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ keys: KeyArray
    ) throws -> ContiguousArray<RowReference> {
        guard let destination = engine.layouts.byNumber[relationship.destinationNumber],
            let sql = try DeletionQueries(layout, engine).related(relationship, to: destination)
        else { return [] }
        let statement = try connection.statement(engine.text(sql.text))
        try statement.bind(keys, at: 1)
        return try engine.references(
            statement, number: destination.number, isPolymorphic: engine.columns(of: destination).hasSubentities)
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
            NSValidationRelationshipDeniedDeleteError,
            description: "The batch delete is denied by the delete rule of \(layout.name).\(relationship.name).",
            reason:
                "Objects to be deleted still have objects in \(layout.name).\(relationship.name), whose rule is deny.",
            advice: "Delete or detach those objects first.", entity: layout.name, key: relationship.name)
    }

    /// Removes the rows from the inverse relationships of the rows that remain.
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
        guard let sql = try DeletionQueries(layout, engine).detachment(from: cell, of: destination) else { return }
        try run(sql, keys)
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
        let queries = try DeletionQueries(layout, engine)
        for relationship in layout.relationships {
            for sql in queries.links(of: relationship) { try run(sql, keys) }
        }
        try run(queries.rows(), keys)
    }

    private func run(_ sql: SQLStatement, _ keys: KeyArray) throws {
        let statement = try connection.statement(engine.text(sql.text))
        try statement.bind(keys, at: 1)
        try statement.run()
    }
}
