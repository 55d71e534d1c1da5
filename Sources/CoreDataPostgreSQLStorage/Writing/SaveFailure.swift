#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// Finds out what made a save fail: rows that others have changed or deleted, violated uniqueness constraints, and missing
/// destinations, all as they are at one moment, in one round trip.
final class SaveFailure {
    private let changes: StoreChanges
    private let keys: KeyAssignment
    private let engine: PostgreSQLEngine
    private var requests: [PipelineRequest] = []
    private var conflicts = StoreConflicts()
    private var missing: Set<RowReference> = []

    init(_ operation: SaveOperation) {
        changes = operation.changes
        keys = operation.keys
        engine = operation.engine
    }

    /// Returns true if an error of the server may have one of these causes.
    static func mayExplain(_ error: PostgreSQLError) -> Bool { ["22012", "23503", "23505"].contains(error.state) }

    /// Throws what is in the way of the save: ``StoreConflicts``, else ``MissingDestinations``. Returns if there is nothing
    /// any more, so that the save may be tried again.
    ///
    /// - Parameter isInTransaction: True if the connection is in a transaction that continues.
    func check(on connection: PostgreSQLConnection, isInTransaction: Bool) throws {
        // Their receivers retain this object.
        defer { requests = [] }
        for group in changes.locked + changes.updates + changes.deletes { try askForVersions(of: group) }
        for root in engine.layouts.all where root.isRoot { try askForDuplicates(in: root) }
        try askForDestinations()
        var all = isInTransaction ? requests : [PipelineRequest(Self.begin)] + requests + [PipelineRequest(Self.commit)]
        // A violation at COMMIT has ended the transaction.
        if connection.isInTransaction { all.insert(SaveOperation.rollback(isInTransaction: isInTransaction), at: 0) }
        try connection.run(all, until: Deadline(after: engine.options.statementTimeout))
        if !conflicts.changed.isEmpty || !conflicts.duplicates.isEmpty { throw conflicts }
        if !missing.isEmpty { throw MissingDestinations(references: missing) }
    }

    private static let begin = ServerStatement("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    private static let commit = ServerStatement("COMMIT")

    /// Returns the error for a relationship to an unsaved object that is not part of the save.
    static func danglingReference(_ layout: EntityLayout, _ relationship: String) -> NSError {
        CoreDataError.make(
            NSManagedObjectReferentialIntegrityError,
            description: "A relationship leads to an object that is not saved.",
            reason: "\(layout.name).\(relationship) holds an unsaved object that is not part of this save.",
            advice: "Save both objects together, in one context and one store.", entity: layout.name,
            key: relationship)
    }

    // MARK: Changed rows

    private func askForVersions(of group: StoreChanges.Group) throws {
        guard !group.rows.isEmpty else { return }
        let selection = try engine.selection(of: group.layout.root)
        let query = try KeyQuery(selecting: selection.list, of: group.layout.root, engine.tables)
        let found = CollectedRows()
        let delivery = RowDelivery(selection, expected: group.rows.count, into: found)
        var parameters = ParameterList()
        parameters.add(group.rows.map(\.key))
        requests.append(
            PipelineRequest(ServerStatement(query.many.text), parameters) { [self] result in
                try delivery.deliver(result)
                noteChanges(of: group, found)
            })
    }

    private func noteChanges(of group: StoreChanges.Group, _ found: CollectedRows) {
        var rows: [Int64: (UnsafeMutableRawPointer, RowSlab)] = [:]
        for row in found.rows { rows[row.key] = (row.row, row.slab) }
        for row in group.rows {
            let current = rows[row.key]
            if let current, EntityLayout.version(current.0) == row.version { continue }
            conflicts.changed.append(
                StoreConflicts.Changed(
                    layout: group.layout, key: row.key, knownVersion: row.version,
                    current: current.map { (row: $0.0, slab: $0.1) }))
        }
    }

    // MARK: Uniqueness

    /// A row of the save under a constraint.
    private struct Candidate {
        let layout: EntityLayout
        let row: StoreChanges.Row
    }

    private func askForDuplicates(in root: EntityLayout) throws {
        let family = root.familyNumbers.compactMap { engine.layouts.byNumber[$0] }
        let schema = PostgreSQLSchema(engine.tables)
        let groups = (changes.inserts + changes.updates).filter { $0.layout.root === root && !$0.rows.isEmpty }
        guard !groups.isEmpty else { return }
        // Rows of the save have other values afterwards, or are gone.
        let written = (groups + changes.deletes.filter { $0.layout.root === root }).flatMap { group in
            group.rows.map { key(of: $0) }
        }
        for constraint in try family.flatMap({ try schema.uniqueness(of: $0) }) {
            let candidates = groups.filter { $0.layout.isKind(of: constraint.entity) }.flatMap { group in
                group.rows.map { Candidate(layout: group.layout, row: $0) }
            }
            if !candidates.isEmpty { try ask(for: constraint, candidates, written) }
        }
    }

    private func key(of row: StoreChanges.Row) -> Int64 { row.key < 0 ? keys.keys[row.key] ?? 0 : row.key }

    private func ask(
        for constraint: PostgreSQLSchema.Constraint, _ candidates: [Candidate], _ written: [Int64]
    ) throws {
        let columns = try UniqueColumns(constraint, engine.tables)
        var parameters = ParameterList()
        parameters.add(written)
        for column in columns.encoders {
            try column.add(candidates.map(\.row), of: constraint.entity, to: &parameters, keys)
        }
        let values = try columns.values(of: candidates.map(\.row), keys, of: constraint.entity)
        noteDuplicates(among: candidates, constraint, values)
        let place = try engine.tables.columns(of: constraint.entity)
        requests.append(
            PipelineRequest(ServerStatement(columns.query), parameters) { [self] rows in
                for row in 0..<rows.count {
                    let number = try rows.index(row, 0, in: candidates.indices)
                    let existing = try rows.reference(
                        row, key: 1, entity: place.sharesTable ? 2 : nil, of: constraint.entity, engine.layouts)
                    conflicts.duplicates.append(
                        StoreConflicts.Duplicate(
                            layout: candidates[number].layout, constraint: constraint.properties,
                            key: candidates[number].row.key, existing: existing))
                }
            })
    }

    /// Finds rows of the save that have the values of an earlier one.
    private func noteDuplicates(
        among candidates: [Candidate], _ constraint: PostgreSQLSchema.Constraint, _ values: [[UInt8]?]
    ) {
        var seen: [[UInt8]: Candidate] = [:]
        for (candidate, value) in zip(candidates, values) {
            guard let value else { continue }
            guard let first = seen[value] else {
                seen[value] = candidate
                continue
            }
            let existing = RowReference(
                entityNumber: first.row.key < 0 ? 0 : first.layout.number, key: first.row.key)
            conflicts.duplicates.append(
                StoreConflicts.Duplicate(
                    layout: candidate.layout, constraint: constraint.properties, key: candidate.row.key,
                    existing: existing))
        }
    }

    // MARK: Destinations

    /// Throws ``MissingDestinations`` if a relationship that the save sets leads to a row that it deletes.
    static func requireRemainingDestinations(_ changes: StoreChanges) throws {
        guard !changes.deletes.isEmpty else { return }
        let deleted = Set(
            changes.deletes.flatMap { group in
                group.rows.map { RowReference(entityNumber: group.layout.root.number, key: $0.key) }
            })
        var missing: Set<RowReference> = []
        func note(_ reference: RowReference, _ root: EntityLayout) {
            guard !reference.isTemporary else { return }
            let place = RowReference(entityNumber: root.number, key: reference.key)
            if deleted.contains(place) { missing.insert(reference) }
        }
        forEachReference(changes) { reference, layout, cell in
            let number = layout.relationships[cell.relationshipIndex].destinationNumber
            if let root = root(number, changes) { note(reference, root) }
        }
        for change in changes.toMany {
            guard let root = root(change.relationship.destinationNumber, changes) else { continue }
            for reference in change.added { note(reference, root) }
        }
        if !missing.isEmpty { throw MissingDestinations(references: missing) }
    }

    /// Returns the root of an entity if rows of its hierarchy are deleted.
    private static func root(_ number: Int, _ changes: StoreChanges) -> EntityLayout? {
        changes.deletes.lazy.map(\.layout.root).first { $0.familyNumbers.contains(number) }
    }

    /// Passes the destinations of all to-one relationships that the save sets.
    private static func forEachReference(
        _ changes: StoreChanges, _ body: (RowReference, EntityLayout, EntityLayout.Cell) -> Void
    ) {
        func visit(_ group: StoreChanges.Group, isUpdate: Bool) {
            for cell in group.layout.cells where cell.kind == .reference && !cell.isTransient {
                for row in group.rows where EntityLayout.isPresent(row.row, cell.index) {
                    if isUpdate, !isChanged(row, cell.index, group.layout) { continue }
                    body(RowReference(bits: group.layout.bits(row.row, cell.index)), group.layout, cell)
                }
            }
        }
        for group in changes.inserts { visit(group, isUpdate: false) }
        for group in changes.updates { visit(group, isUpdate: true) }
    }

    private func askForDestinations() throws {
        var targets = ReferenceTargets()
        Self.forEachReference(changes) { reference, _, _ in targets.note(reference) }
        targets.note(changes.toMany)
        for (root, wanted) in targets.unwritten(by: changes, engine.layouts) {
            guard let layout = engine.layouts.byNumber[root] else { continue }
            var parameters = ParameterList()
            parameters.add(Array(wanted.keys))
            let table = PostgreSQLName.quoted(try engine.tables.columns(of: layout).table)
            requests.append(
                PipelineRequest(
                    ServerStatement("SELECT id FROM \(table) WHERE id = ANY ($1::bigint[])"), parameters
                ) { [self] rows in
                    var absent = wanted
                    for row in 0..<rows.count { absent[try rows.int64(row, 0)] = nil }
                    missing.formUnion(absent.values)
                })
        }
    }

    private static func isChanged(_ row: StoreChanges.Row, _ cell: Int, _ layout: EntityLayout) -> Bool {
        let word = (row.row + layout.changedOffset).load(fromByteOffset: (cell >> 6) * 8, as: UInt64.self)
        return word & (1 << UInt64(cell & 63)) != 0
    }
}
#endif
