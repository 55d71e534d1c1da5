import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// One save: all its changes are written in one transaction, or none.
final class SaveOperation {
    let engine: SQLiteEngine
    let connection: SQLiteConnection
    let changes: StoreChanges
    @exclusivity(unchecked) private(set) var keys: KeyAssignment
    @exclusivity(unchecked) private var conflicts = StoreConflicts()
    let files: ExternalFileChanges
    private let mode: Mode
    private var plans: WritePlans { engine.writePlans }
    private let history: HistoryRecorder?
    /// The destinations of the saved rows' relationships.
    @exclusivity(unchecked) var targets = ReferenceTargets()

    /// The mode of an attempt, which depends on why earlier attempts failed.
    struct Mode {
        /// Whether columns under uniqueness constraints are set to NULL before updates, so that rows can swap values.
        var clearsConstraints = false
        /// Whether rows are deleted one by one, to find those that another connection has changed.
        var tellsRowsApart = false
    }

    /// Thrown when some rows of a combined deletion no longer exist, or have another version.
    struct RowsToTellApart: Error {}

    init(_ changes: StoreChanges, _ engine: SQLiteEngine, _ connection: SQLiteConnection, _ mode: Mode) {
        self.changes = changes
        self.engine = engine
        self.connection = connection
        self.mode = mode
        keys = KeyAssignment(changes.inserts)
        files = ExternalFileChanges(engine)
        history = engine.historyRecorder(connection, author: changes.author, contextName: changes.contextName)
    }

    /// Writes all changes, inside a transaction that the caller ends.
    ///
    /// - Throws: ``StoreConflicts`` after all rows have been tried.
    func run() throws -> SavedKeys {
        connection.derivedChanges.clear()
        try assignKeys()
        for group in changes.deletes { try delete(group) }
        for group in changes.locked { try check(group) }
        if mode.clearsConstraints { try clearConstraints() }
        for group in changes.updates { try update(group) }
        for group in changes.inserts { try insert(group) }
        if !conflicts.changed.isEmpty || !conflicts.duplicates.isEmpty { throw conflicts }
        for group in changes.deletes { try clearReferences(to: group) }
        targets.note(changes.toMany)
        if !targets.isEmpty { try checkDestinations() }
        if engine.keepsOrders || !changes.toMany.isEmpty { try ToManyWriter(self).write(changes.toMany) }
        if let history { try record(history) }
        if let metadata = changes.metadata { try SQLiteMetadata.write(metadata, on: connection) }
        if !connection.derivedChanges.rows.isEmpty { keys.noteRecomputed(recomputedRows()) }
        return keys.keys
    }

    /// Finishes or undoes the changes to external files. Call it after the transaction.
    func finish(committed: Bool) { files.finish(committed: committed) }

    private func assignKeys() throws {
        let groups = changes.inserts
        for index in groups.indices {
            let count = groups[index].rows.count { $0.key < 0 }
            guard count > 0 else { continue }
            var key = try engine.allocator.allocate(count, root: groups[index].layout.root.number, connection)
            for row in groups[index].rows where row.key < 0 {
                keys.assign(key, to: row.key)
                key += 1
            }
        }
    }

    /// The entities of rows with temporary keys; needed only for polymorphic relationships.
    private lazy var temporaryEntities: [Int64: Int] = changes.inserts.reduce(into: [:]) { entities, group in
        for row in group.rows where row.key < 0 { entities[row.key] = group.layout.number }
    }

    /// Returns the entity of the row that a reference identifies; 0 if unknown.
    func entityNumber(of reference: RowReference) -> Int {
        reference.isTemporary ? temporaryEntities[reference.key] ?? 0 : reference.entityNumber
    }

    // MARK: Inserts

    private func insert(_ group: StoreChanges.Group) throws {
        let plan = plans.insert(group.layout)
        let start = try insertSeveralAtOnce(group, plan)
        guard start < group.rows.count else { return }
        let statement = try connection.statement(plan.sql)
        for row in group.rows[start...] {
            try bind(row, to: statement, plan, after: 0)
            let result = statement.runForResult()
            if result != SQLITE_DONE { try noteFailure(result, of: row, group.layout, statement) }
        }
    }

    /// Inserts many rows by statements for several rows and returns their number. A rest that fills no statement remains.
    private func insertSeveralAtOnce(_ group: StoreChanges.Group, _ plan: WritePlans.Insert) throws -> Int {
        let rows = group.rows
        // The additional statement has to be prepared.
        guard plan.rowsAtOnce > 1, rows.count >= 4 * plan.rowsAtOnce else { return 0 }
        let statement = try connection.statement(plan.sqlForSeveral)
        var start = 0
        while start + plan.rowsAtOnce <= rows.count {
            var offset: Int32 = 0
            for row in rows[start..<start + plan.rowsAtOnce] {
                try bind(row, to: statement, plan, after: offset)
                offset += plan.width
            }
            let result = statement.runForResult()
            if result == SQLITE_DONE {
                start += plan.rowsAtOnce
            } else {
                let failed = start + min(connection.changedRows, plan.rowsAtOnce - 1)
                try noteFailure(result, of: rows[failed], group.layout, statement)
                start = failed + 1
            }
        }
        return start
    }

    @inline(__always)
    private func bind(
        _ row: StoreChanges.Row, to statement: SQLiteStatement, _ plan: WritePlans.Insert, after offset: Int32
    ) throws {
        try statement.bind(row.key < 0 ? keys.keys[row.key] ?? 0 : row.key, at: offset + 1)
        try statement.bind(plan.entityNumber, at: offset + 2)
        try statement.bind(Int64(row.version) + 1, at: offset + 3)
        try plan.binder.bind(row.row, key: row.key, to: statement, self, after: offset)
    }

    // MARK: Updates

    private func update(_ group: StoreChanges.Group) throws {
        let layout = group.layout
        var start = 0
        while start < group.rows.count {
            // Adjacent rows nearly always have the same changed columns.
            let changed = changedBits(group.rows[start], layout)
            var end = start + 1
            while end < group.rows.count, hasChanged(group.rows[end], changed, layout) { end += 1 }
            try update(group.rows[start..<end], layout, plans.update(layout, changed: changed))
            start = end
        }
    }

    private func changedBits(_ row: StoreChanges.Row, _ layout: EntityLayout) -> ContiguousArray<UInt64> {
        let bits = row.row + layout.changedOffset
        return ContiguousArray((0..<layout.bitWords).map { bits.load(fromByteOffset: $0 * 8, as: UInt64.self) })
    }

    @inline(__always)
    private func hasChanged(
        _ row: StoreChanges.Row, _ changed: ContiguousArray<UInt64>, _ layout: EntityLayout
    ) -> Bool {
        let bits = row.row + layout.changedOffset
        for word in changed.indices where bits.load(fromByteOffset: word * 8, as: UInt64.self) != changed[word] {
            return false
        }
        return true
    }

    private func update(
        _ rows: ContiguousArray<StoreChanges.Row>.SubSequence, _ layout: EntityLayout, _ plan: WritePlans.Update
    ) throws {
        let statement = try connection.statement(plan.sql)
        let binder = plan.binder
        let end = binder.nextParameter
        for row in rows {
            if plan.files != nil { try collectFiles(plan.files, plan.fileColumns, key: row.key) }
            try statement.bind(Int64(row.version) + 1, at: 1)
            try binder.bind(row.row, key: row.key, to: statement, self)
            try statement.bind(row.key, at: end)
            try statement.bind(Int64(row.version), at: end + 1)
            let result = statement.runForResult()
            if result != SQLITE_DONE {
                try noteFailure(result, of: row, layout, statement)
            } else if connection.changedRows == 0 {
                try noteConflict(row, layout)
            }
        }
    }

    /// Returns true if another attempt with ``Mode/clearsConstraints`` could succeed, because values may move between rows.
    static func mayMoveUniqueValues(_ changes: StoreChanges, _ engine: SQLiteEngine) -> Bool {
        changes.updates.contains { group in
            !engine.constraints(of: group.layout).isEmpty && (group.rows.count > 1 || changes.inserts.count > 0)
        }
    }

    private func clearConstraints() throws {
        for group in changes.updates {
            for constraint in engine.constraints(of: group.layout) {
                guard let table = engine.schema.entities[group.layout.number]?.table else { continue }
                let assignments = constraint.columns.map { "\($0) = NULL" }.joined(separator: ", ")
                let statement = try connection.prepare("UPDATE \(table) SET \(assignments) WHERE Z_PK = ?")
                let cells = constraint.columns.compactMap { column in
                    engine.schema.entities[group.layout.number]?.cells.firstIndex { $0.column == column }
                }
                for row in group.rows where cells.allSatisfy({ isChanged(row, $0, group.layout) }) {
                    try statement.bind(row.key, at: 1)
                    try statement.run()
                }
            }
        }
    }

    private func isChanged(_ row: StoreChanges.Row, _ cell: Int, _ layout: EntityLayout) -> Bool {
        let word = (row.row + layout.changedOffset).load(fromByteOffset: (cell >> 6) * 8, as: UInt64.self)
        return word & (1 << UInt64(cell & 63)) != 0
    }

    // MARK: Deletes and checks

    private func delete(_ group: StoreChanges.Group) throws {
        let plan = plans.delete(group.layout)
        let statement = try connection.statement(plan.sql)
        let relatives = try plan.relatives.map { try connection.statement($0) }
        let deletedVersion = try deleteSeveralAtOnce(group, plan)
        for row in group.rows where row.version != deletedVersion {
            if plan.files != nil { try collectFiles(plan.files, plan.fileColumns, key: row.key) }
            if let history { try recordDeletion(history, row.key, group.layout) }
            try statement.bind(row.key, at: 1)
            try statement.bind(Int64(row.version), at: 2)
            let result = statement.runForResult()
            guard result == SQLITE_DONE else { throw statement.failure(result) }
            if connection.changedRows == 0 {
                try noteConflict(row, group.layout)
                continue
            }
            for relative in relatives {
                try relative.bind(row.key, at: 1)
                try relative.run()
            }
        }
    }

    /// Deletes several rows at once if they have the most likely version, and returns that version.
    private func deleteSeveralAtOnce(_ group: StoreChanges.Group, _ plan: WritePlans.Delete) throws -> UInt32? {
        guard !mode.tellsRowsApart, history == nil, let sql = plan.sqlForSeveral, group.rows.count >= 16 else {
            return nil
        }
        let version = group.rows[0].version
        let keys = ContiguousArray(group.rows.lazy.filter { $0.version == version }.map(\.key))
        let statement = try connection.statement(sql)
        try statement.bind(KeyArray(keys: keys), at: 1)
        try statement.bind(Int64(version), at: 2)
        try statement.run()
        guard connection.changedRows == keys.count else { throw RowsToTellApart() }
        return version
    }

    /// Clears relationships to a deleted row that another context has added since this one read the row's members.
    private func clearReferences(to group: StoreChanges.Group) throws {
        let references = plans.delete(group.layout).references
        guard !references.isEmpty else { return }
        let keys = KeyArray(keys: ContiguousArray(group.rows.lazy.map(\.key)))
        for reference in references {
            if let history {
                let sources = try connection.statement(reference.sources)
                try sources.bind(keys, at: 1)
                while try sources.step() {
                    guard let number = engine.numbering.inModel(Int(sources.integer(0))),
                        let layout = engine.layouts.byNumber[number]
                    else { continue }
                    try history.record(.update, layout, key: sources.integer(1), properties: [reference.name])
                }
                sources.reset()
            }
            let statement = try connection.statement(reference.clearing)
            try statement.bind(keys, at: 1)
            try statement.run()
        }
    }

    private func check(_ group: StoreChanges.Group) throws {
        let statement = try connection.statement(plans.delete(group.layout).version)
        for row in group.rows {
            try statement.bind(row.key, at: 1)
            let isThere = try statement.step()
            let version = isThere ? statement.integer(0) : 0
            statement.reset()
            if !isThere || version != Int64(row.version) { try noteConflict(row, group.layout) }
        }
    }

    private func collectFiles(_ sql: SQLText?, _ columns: Int, key: Int64) throws {
        guard let sql else { return }
        let statement = try connection.statement(sql)
        try statement.bind(key, at: 1)
        if try statement.step() {
            for column in 0..<Int32(columns) {
                statement.bytes(column).map(files.noteObsolete)
            }
        }
        statement.reset()
    }

    /// Checks that the destinations of all saved relationships exist, with one query per table.
    private func checkDestinations() throws {
        var missing: Set<RowReference> = []
        for (root, wanted) in targets.unwritten(by: changes, engine.layouts) {
            guard let table = engine.schema.entities[root]?.table else { continue }
            var wanted = wanted
            let keys = ContiguousArray(wanted.keys)
            let isOne = keys.count == 1
            let statement = try connection.statement(
                engine.text(
                    "SELECT Z_PK FROM \(table) WHERE Z_PK \(isOne ? "= ?" : "IN (SELECT value FROM CDArray(?))")"))
            if isOne { try statement.bind(keys[0], at: 1) } else { try statement.bind(KeyArray(keys: keys), at: 1) }
            while try statement.step() { wanted[statement.integer(0)] = nil }
            statement.reset()
            missing.formUnion(wanted.values)
        }
        if !missing.isEmpty { throw MissingDestinations(references: missing) }
    }

    // MARK: History

    private func record(_ history: HistoryRecorder) throws {
        for group in changes.updates {
            for row in group.rows {
                let cells = group.layout.cells.filter { !$0.isTransient && isChanged(row, $0.index, group.layout) }
                var names = Set(cells.map { $0.compositeName ?? $0.name })
                for change in changes.toMany where change.source.key == row.key && change.layout === group.layout {
                    names.insert(change.relationship.name)
                }
                try history.record(.update, group.layout, key: row.key, properties: names)
            }
        }
        for group in changes.inserts {
            for row in group.rows {
                try history.record(.insert, group.layout, key: row.key < 0 ? keys.keys[row.key] ?? 0 : row.key)
            }
        }
        try history.finish()
        keys.noteHistory(history.mark)
    }

    /// Records a row that is about to be deleted, with the values that history preserves.
    private func recordDeletion(_ history: HistoryRecorder, _ key: Int64, _ layout: EntityLayout) throws {
        try history.record(
            .delete, layout, key: key, tombstones: engine.tombstones(of: key, layout, connection))
    }

    // MARK: Conflicts

    private func noteConflict(_ row: StoreChanges.Row, _ layout: EntityLayout) throws {
        let found = CollectedRows()
        try engine.readRows(keys: [row.key], of: layout, into: found, on: connection)
        conflicts.changed.append(
            StoreConflicts.Changed(
                layout: layout, key: row.key, knownVersion: row.version,
                current: found.rows.first.map { ($0.row, $0.slab) }))
    }

    private func noteFailure(
        _ result: Int32, of row: StoreChanges.Row, _ layout: EntityLayout, _ statement: SQLiteStatement
    ) throws {
        if result == SQLITE_TOOBIG {
            throw statement.bindingFailure(
                result, bytes: nil, entity: layout.name, attribute: nil, row: row.key)
        }
        guard result == SQLiteFailure.uniqueConstraint else { throw statement.failure(result) }
        let message = String(cString: sqlite3_errmsg(connection.handle)).uppercased()
        let failed = engine.constraints(of: layout).first { $0.isNamed(in: message) }
        guard let failed, let existing = try existingRow(failed, row, layout) else { throw statement.failure(result) }
        conflicts.duplicates.append(
            StoreConflicts.Duplicate(
                layout: layout, constraint: failed.attributes, key: row.key, existing: existing))
    }

    /// Returns the row that already has the values of a constraint.
    private func existingRow(
        _ constraint: SQLSchema.Constraint, _ row: StoreChanges.Row, _ layout: EntityLayout
    ) throws -> RowReference? {
        guard let columns = engine.schema.entities[layout.number] else { return nil }
        let cells = constraint.columns.compactMap { name in columns.cells.firstIndex { $0.column == name } }
        let binder = RowBinder(layout, columns: columns, cells: cells, firstParameter: 1)
        let condition = constraint.match(binder.columns.enumerated().map { ($1, $0 + 1) })
        let statement = try connection.prepare("SELECT Z_ENT, Z_PK FROM \(columns.table) WHERE \(condition)")
        try binder.bind(row.row, key: row.key, to: statement, self)
        guard try statement.step() else { return nil }
        let key = statement.integer(1)
        let number = engine.numbering.inModel(Int(statement.integer(0))) ?? layout.number
        // A row of the same save is identified by its temporary key: its permanent one is void after the rollback.
        for group in changes.inserts where group.layout.root === layout.root {
            for other in group.rows where other.key < 0 && keys.keys[other.key] == key {
                return RowReference(entityNumber: 0, key: other.key)
            }
        }
        return RowReference(entityNumber: number, key: key)
    }

    private func recomputedRows() -> ContiguousArray<RowReference> {
        var seen: Set<RowReference> = []
        return connection.derivedChanges.rows.reduce(into: ContiguousArray()) { result, row in
            guard let number = engine.numbering.inModel(row.entityNumber) else { return }
            let reference = RowReference(entityNumber: number, key: row.key)
            if seen.insert(reference).inserted { result.append(reference) }
        }
    }

    func danglingReference(in cell: EntityLayout.Cell, of layout: EntityLayout) -> NSError {
        CoreDataError.make(
            NSManagedObjectReferentialIntegrityError,
            description: "A relationship leads to an object that is not saved.",
            reason: "\(layout.name).\(cell.name) points to an unsaved object that is not part of this save.",
            advice: "Save both objects together, in one context and one store.", entity: layout.name, key: cell.name)
    }
}
