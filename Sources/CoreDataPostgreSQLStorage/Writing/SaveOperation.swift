#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// One save: all its changes are written in one transaction and one round trip, or none. Many new rows of an entity are
/// copied, which takes a round trip for each such entity and one more.
///
/// Every statement that depends on known versions fails the transaction by itself if a row has another one. Only then
/// ``SaveFailure`` asks what is in the way, in a second round trip.
struct SaveOperation {
    let engine: PostgreSQLEngine
    let changes: StoreChanges
    private(set) var keys: KeyAssignment
    private var requests: [PipelineRequest] = []
    /// The rows that are copied, before all other changes.
    private var copies: [CopiedRows] = []
    private let recomputed = Recomputed()
    /// nil for a store that keeps no history.
    private let history: HistoryRecording?
    private var plans: WritePlans { engine.writePlans }

    /// Prepares a save: assigns keys, and encodes all values.
    ///
    /// - Throws: Errors with entity and key for values that the server cannot hold; nothing is sent then, except for keys.
    init(_ changes: StoreChanges, _ engine: PostgreSQLEngine) throws {
        self.changes = changes
        self.engine = engine
        keys = KeyAssignment(changes.inserts)
        history =
            changes.hasRows
            ? try HistoryRecording(engine, author: changes.author, contextName: changes.contextName) : nil
        try assignKeys()
        try encode(copiesRows: true)
    }

    /// Returns the same save without `COPY`, which some tables do not accept; nil if it has none.
    func withoutCopies() throws -> SaveOperation? {
        guard !copies.isEmpty else { return nil }
        var operation = self
        operation.copies = []
        operation.requests = []
        try operation.encode(copiesRows: false)
        return operation
    }

    /// Returns the same save after another program has migrated the store.
    func afterMigration() throws -> SaveOperation {
        var operation = self
        operation.requests = []
        let copiesRows = !copies.isEmpty
        operation.copies = []
        try operation.encode(copiesRows: copiesRows)
        return operation
    }

    private mutating func encode(copiesRows: Bool) throws {
        try SaveFailure.requireRemainingDestinations(changes)
        history?.reset()
        for group in changes.locked { try check(group) }
        for group in changes.updates { try update(group) }
        for group in changes.inserts {
            let plan = try plans.insert(group.layout)
            if copiesRows, plan.isFree, group.rows.count >= CopiedRows.lowestCount {
                try copy(group, plan)
            } else {
                try insert(group, plan)
            }
        }
        requests += try LinkRequests(changes, keys, engine).make()
        try clearReferences()
        for group in changes.deletes { try delete(group) }
        if let history { record(history) }
        if !engine.derived.isEmpty { addDerivedAttributes() }
        if let metadata = changes.metadata { requests.append(try StoreRecord.update(engine.described(metadata))) }
        if let history { requests += history.finish() }
    }

    private mutating func addDerivedAttributes() {
        let touched = touchedRows, recomputed = recomputed
        requests.insert(contentsOf: engine.derived.before(touched), at: 0)
        requests += engine.derived.after(touched, engine.layouts) { recomputed.rows.append($0) }
    }

    /// The rows of the last attempt for which the server has computed derived attributes.
    private final class Recomputed {
        var rows: ContiguousArray<RowReference> = []
    }

    private mutating func assignKeys() throws {
        for group in changes.inserts {
            let count = group.rows.count { $0.key < 0 }
            guard count > 0 else { continue }
            var reserved = try engine.reserveKeys(count: count, of: group.layout).makeIterator()
            for row in group.rows where row.key < 0 {
                guard let key = reserved.next() else { throw StoreErrors.notOpen }
                keys.assign(key, to: row.key)
            }
        }
    }

    // MARK: Running

    /// Writes everything.
    ///
    /// - Parameters:
    ///   - mark: The mark that the transaction writes.
    ///   - isInTransaction: True if the connection is in a transaction, which is committed if the save succeeds, and stays open
    ///     otherwise.
    /// - Throws: ``PostgreSQLError``s; nothing is written then. The transaction has failed, and is not rolled back, after those
    ///   that ``SaveFailure`` may explain.
    func run(_ mark: SaveMark, on connection: PostgreSQLConnection, isInTransaction: Bool) throws {
        let deadline = Deadline(after: engine.options.statementTimeout)
        let beginning = isInTransaction ? Self.savepoint : Self.begin
        var all = copies.isEmpty ? [PipelineRequest(beginning), mark.insertion(of: engine)] : []
        all += requests
        all += copies.isEmpty ? mark.removal : mark.requests(of: engine)
        // In a transaction that goes on after a failure, constraints must not end it at COMMIT.
        if isInTransaction { all.append(PipelineRequest(Self.constraints)) }
        all.append(PipelineRequest(Self.commit))
        recomputed.rows = []
        do {
            if !copies.isEmpty {
                try connection.copy(
                    copies, after: [beginning.text] + engine.options.limitTexts + engine.versionChecks,
                    until: deadline)
            }
            try connection.run(all, until: deadline)
        } catch {
            // ``SaveFailure`` rolls back in its own round trip.
            let isExplained = (error as? PostgreSQLError).map(SaveFailure.mayExplain) ?? false
            if connection.isInTransaction, !isExplained {
                try connection.run([Self.rollback(isInTransaction: isInTransaction)], until: Deadline(after: 5))
            }
            throw error
        }
    }

    /// Returns the statement that ends the failed transaction of a save.
    static func rollback(isInTransaction: Bool) -> PipelineRequest {
        PipelineRequest(isInTransaction ? rollbackToSavepoint : rollback)
    }

    /// The keys of the rows, after the last attempt was committed.
    var savedKeys: SavedKeys {
        var keys = keys
        keys.noteHistory(history?.mark)
        if !recomputed.rows.isEmpty { keys.noteRecomputed(recomputed.rows) }
        return keys.keys
    }

    private static let begin = ServerStatement("BEGIN ISOLATION LEVEL READ COMMITTED")
    private static let commit = ServerStatement("COMMIT")
    private static let rollback = ServerStatement("ROLLBACK")
    private static let savepoint = ServerStatement("SAVEPOINT coredata_save")
    private static let rollbackToSavepoint = ServerStatement("ROLLBACK TO SAVEPOINT coredata_save")
    private static let constraints = ServerStatement("SET CONSTRAINTS ALL IMMEDIATE")

    // MARK: Rows

    private typealias Rows = ContiguousArray<StoreChanges.Row>.SubSequence

    private func key(of row: StoreChanges.Row) -> Int64 { row.key < 0 ? keys.keys[row.key] ?? 0 : row.key }

    private mutating func copy(_ group: StoreChanges.Group, _ plan: WritePlans.Insert) throws {
        let own = plan.entity == nil ? ["id", "version"] : ["id", "version", "entity"]
        let names = own + plan.columns.map(\.column)
        let entity = plan.entity.map { Array($0.utf8) }
        var copied = CopiedRows(into: plan.table, names)
        try copied.add { writer in
            for row in group.rows {
                writer.int16(Int16(names.count))
                writer.element(key(of: row))
                writer.element(Int64(row.version) + 1)
                if let entity { writer.element { $0.bytes += entity } }
                for column in plan.columns { try column.write(row, of: group.layout, to: &writer, keys) }
            }
        }
        copied.end()
        copies.append(copied)
    }

    private mutating func insert(_ group: StoreChanges.Group, _ plan: WritePlans.Insert) throws {
        var made: [PipelineRequest] = []
        try group.layout.forEachPart(of: group.rows) { rows in
            var parameters = ParameterList()
            if rows.count == 1, let row = rows.first {
                parameters.add(key(of: row))
                parameters.add(Int64(row.version) + 1)
                for column in plan.columns { try column.add(valueOf: row, of: group.layout, to: &parameters, keys) }
                return made.append(PipelineRequest(plan.single, parameters))
            }
            parameters.add(rows.map(key))
            parameters.add(rows.map { Int64($0.version) + 1 })
            for column in plan.columns { try column.add(rows, of: group.layout, to: &parameters, keys) }
            made.append(PipelineRequest(plan.statement, parameters))
        }
        requests += made
    }

    private mutating func update(_ group: StoreChanges.Group) throws {
        let layout = group.layout
        // Rows with the same changed columns are written together.
        var parts: [(changed: ContiguousArray<UInt64>, rows: ContiguousArray<StoreChanges.Row>)] = []
        var places: [ContiguousArray<UInt64>: Int] = [:]
        var place = 0
        for row in group.rows {
            let bits = row.row + layout.changedOffset
            func word(_ index: Int) -> UInt64 { bits.load(fromByteOffset: index * 8, as: UInt64.self) }
            // Most rows have the changes of the one before.
            if parts.isEmpty || !(0..<layout.bitWords).allSatisfy({ word($0) == parts[place].changed[$0] }) {
                let changed = ContiguousArray((0..<layout.bitWords).map(word))
                place = places[changed] ?? parts.count
                if place == parts.count {
                    places[changed] = place
                    parts.append((changed, []))
                }
            }
            parts[place].rows.append(row)
        }
        var made: [PipelineRequest] = []
        for part in parts {
            let plan = try plans.update(layout, changed: part.changed)
            try layout.forEachPart(of: part.rows) { rows in
                if rows.count == 1, let row = rows.first {
                    var parameters = ParameterList()
                    parameters.add(row.key)
                    parameters.add(Int64(row.version))
                    for column in plan.columns { try column.add(valueOf: row, of: layout, to: &parameters, keys) }
                    return made.append(PipelineRequest(plan.single, parameters))
                }
                var parameters = Self.versions(rows)
                for column in plan.columns { try column.add(rows, of: layout, to: &parameters, keys) }
                parameters.add(Int64(rows.count))
                made.append(PipelineRequest(plan.statement, parameters))
            }
        }
        requests += made
    }

    private static func versions(_ rows: Rows) -> ParameterList {
        var parameters = ParameterList()
        parameters.add(rows.map(\.key))
        parameters.add(rows.map { Int64($0.version) })
        return parameters
    }

    private mutating func check(_ group: StoreChanges.Group) throws {
        guard !group.rows.isEmpty else { return }
        var parameters = Self.versions(group.rows[...])
        parameters.add(Int64(group.rows.count))
        requests.append(PipelineRequest(try plans.lock(group.layout), parameters))
    }

    private mutating func delete(_ group: StoreChanges.Group) throws {
        guard !group.rows.isEmpty else { return }
        var parameters = Self.versions(group.rows[...])
        parameters.add(Int64(group.rows.count))
        if let request = try history?.recordDeletions(group.rows.map(\.key), of: group.layout) {
            requests.append(request)
        }
        requests.append(PipelineRequest(try plans.delete(group.layout).statement, parameters))
    }

    /// Clears to-one relationships to deleted rows in the remaining ones.
    private mutating func clearReferences() throws {
        guard !changes.deletes.isEmpty else { return }
        var deleted: [Int: [Int64]] = [:]
        for group in changes.deletes { deleted[group.layout.root.number, default: []] += group.rows.map(\.key) }
        for group in changes.deletes where !group.rows.isEmpty {
            for clearing in try plans.delete(group.layout).clearings {
                var parameters = ParameterList()
                parameters.add(group.rows.map(\.key))
                parameters.add(deleted[clearing.root, default: []])
                history?.addClearing(to: &parameters)
                let statement = history == nil ? clearing.statement : clearing.recording
                requests.append(PipelineRequest(statement, parameters))
            }
        }
    }

    // MARK: History

    /// Records the updated and inserted rows.
    private func record(_ history: HistoryRecording) {
        var linked: [RowReference: Set<String>] = [:]
        for change in changes.toMany {
            linked[change.source, default: []].insert(change.relationship.name)
        }
        for group in changes.updates {
            let layout = group.layout
            var last: (bits: ContiguousArray<UInt64>, names: Set<String>)?
            for row in group.rows {
                let bits = row.row + layout.changedOffset
                let words = ContiguousArray(
                    (0..<layout.bitWords).map { bits.load(fromByteOffset: $0 * 8, as: UInt64.self) })
                if last?.bits != words {
                    let changed = layout.cells.filter { cell in
                        !cell.isTransient && words[cell.index >> 6] & (1 << UInt64(cell.index & 63)) != 0
                    }
                    last = (words, Set(changed.map { $0.compositeName ?? $0.name }))
                }
                var names = last?.names ?? []
                if let more = linked[RowReference(entityNumber: layout.number, key: row.key)] { names.formUnion(more) }
                history.record(.update, layout, key: row.key, properties: names)
            }
        }
        for group in changes.inserts {
            for row in group.rows { history.record(.insert, group.layout, key: key(of: row)) }
        }
    }
}
#endif
