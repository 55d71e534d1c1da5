#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The treatment of the rows of a batch insert that have the values of other rows, stored ones or earlier ones of the batch.
struct BatchResolution {
    /// A stored row that is overwritten with the values that a row of the batch gives.
    struct Update {
        let reference: RowReference
        let row: Int
        /// The number of rows of the batch that overwrite it.
        var steps: Int64
    }

    struct Plan {
        var table: BatchTable
        /// The rows to insert, and the version of each row of the table.
        var inserts: [Int] = []
        var versions: [Int64]
        var updates: [Update] = []
        /// The rows that were inserted or overwritten, in the order of the batch.
        var written: ContiguousArray<RowReference> = []
    }

    /// A row that another one is equal to.
    private enum Target {
        case inserted(Int)
        /// The index among the updates.
        case updated(Int)
        case stored(RowReference)
    }

    /// The rows that have the same values in a constraint.
    private struct Family: Hashable {
        let constraint: Int
        let first: Int
    }

    private let table: BatchTable
    private let keys: [Int64]
    private let layout: EntityLayout
    private let rule: BatchConflictRule
    private var constraintCount = 0
    /// The first row with the same values, for the rows that are not the first, and the stored rows, by constraint.
    private var firsts: [[Int: Int]] = []
    private var stored: [Family: RowReference] = [:]

    init(_ table: BatchTable, _ keys: [Int64], _ layout: EntityLayout, _ rule: BatchConflictRule) {
        self.table = table
        self.keys = keys
        self.layout = layout
        self.rule = rule
    }

    /// Finds equal rows, in one round trip.
    mutating func lookUp(
        _ constraints: [BatchConstraint], _ columns: EntityColumns, in transaction: BatchTransaction
    ) throws {
        let (layout, layouts, count) = (self.layout, transaction.engine.layouts, table.count)
        var firsts = [[Int: Int]](repeating: [:], count: constraints.count)
        var stored: [Family: RowReference] = [:]
        var requests: [PipelineRequest] = []
        for (number, constraint) in constraints.enumerated() {
            var request = constraint.lookUp(table, columns, transaction.engine.tables.dialect)
            request.receive = { rows in
                for row in 0..<rows.count {
                    let own = try rows.index(row, 0, in: 0..<count)
                    let first = try rows.index(row, 1, in: 0..<count)
                    if own != first { firsts[number][own] = first }
                    guard !rows.isNull(row, 2) else { continue }
                    stored[Family(constraint: number, first: first)] = try rows.reference(
                        row, key: 2, entity: columns.sharesTable ? 3 : nil, of: layout, layouts)
                }
            }
            requests.append(request)
        }
        try transaction.run(requests)
        constraintCount = constraints.count
        (self.firsts, self.stored) = (firsts, stored)
    }

    /// Returns what is written.
    ///
    /// - Parameter missing: The required attributes that rows leave out, by row.
    /// - Throws: `NSValidationMissingMandatoryPropertyError` for one in a row that does not exist.
    func plan(_ missing: [Int: String]) throws -> Plan {
        var plan = Plan(table: table, versions: Array(repeating: 1, count: table.count))
        var targets = stored.mapValues(Target.stored)
        let families = Dictionary(grouping: stored.keys) { stored[$0] }
        for row in 0..<table.count {
            let own = (0..<constraintCount).map { Family(constraint: $0, first: firsts[$0][row] ?? row) }
            guard let target = own.lazy.compactMap({ targets[$0] }).first else {
                if let path = missing[row] { throw BatchValueCheck.missing(path, of: layout.name) }
                plan.inserts.append(row)
                plan.written.append(RowReference(entityNumber: layout.number, key: keys[row]))
                for family in own { targets[family] = .inserted(row) }
                continue
            }
            guard rule != .keepStored else { continue }
            let changed = overwrite(target, with: row, in: &plan)
            for family in own { targets[family] = changed }
            if case .stored(let reference) = target {
                for family in families[reference] ?? [] { targets[family] = changed }
            }
        }
        return plan
    }

    private func overwrite(_ target: Target, with row: Int, in plan: inout Plan) -> Target {
        switch target {
        case .inserted(let first):
            plan.table.overwrite(first, with: row)
            plan.versions[first] += 1
            plan.written.append(RowReference(entityNumber: layout.number, key: keys[first]))
            return target
        case .updated(let index):
            plan.table.overwrite(plan.updates[index].row, with: row)
            plan.updates[index].steps += 1
            plan.written.append(plan.updates[index].reference)
            return target
        case .stored(let reference):
            plan.updates.append(Update(reference: reference, row: row, steps: 1))
            plan.written.append(reference)
            return .updated(plan.updates.count - 1)
        }
    }
}
#endif
