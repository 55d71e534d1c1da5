#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// Deletes rows set by set and applies the delete rules of their relationships, without reading the rows one by one.
///
/// One round trip finds the rows, one deletes them; between them, one is needed for each step of a cascade, and for rules
/// that may forbid the deletion.
struct BatchDelete {
    private let transaction: BatchTransaction
    private var engine: PostgreSQLEngine { transaction.engine }
    private var doomed: [Int: Set<Int64>] = [:]
    /// The rows that relationships which may forbid the deletion lead to.
    private var related: [(Relation, ContiguousArray<RowReference>)] = []

    /// A relationship of doomed rows that has to be followed.
    private struct Relation {
        let layout: EntityLayout
        let relationship: EntityLayout.Relationship
        let cascades: Bool
        /// True if remaining rows at its end forbid the deletion.
        let forbids: Bool
    }

    init(_ transaction: BatchTransaction) { self.transaction = transaction }

    /// Deletes the rows that a fetch finds.
    mutating func run(_ fetch: StoreFetch) throws {
        let rows = try transaction.lock(fetch)
        guard !rows.isEmpty else { return }
        try collect(rows)
        try checkRules()
        var requests: [PipelineRequest] = []
        for (layout, keys) in doomedRows { requests += try detachments(layout, keys) }
        for (layout, keys) in doomedRows { requests += try deletions(layout, keys) }
        let touched = TouchedRows(deleted: doomed.mapValues { $0.sorted() })
        try transaction.finish(requests, touching: touched, rows: rows)
    }

    private var doomedRows: [(EntityLayout, [Int64])] {
        doomed.sorted { $0.key < $1.key }.compactMap { number, keys in
            engine.layouts.byNumber[number].map { ($0, keys.sorted()) }
        }
    }

    // MARK: Collecting rows

    /// Collects the given rows and, transitively, every row that their cascading relationships reach.
    private mutating func collect(_ rows: ContiguousArray<RowReference>) throws {
        var pending = rows
        while !pending.isEmpty {
            var fresh: [Int: [Int64]] = [:]
            for row in pending where doomed[row.entityNumber, default: []].insert(row.key).inserted {
                fresh[row.entityNumber, default: []].append(row.key)
            }
            pending = []
            for (relation, found) in try follow(fresh) {
                if relation.cascades { pending += found }
                if relation.forbids { related.append((relation, found)) }
            }
        }
    }

    /// Returns the rows that the relationships of some rows lead to, as far as rules need them, in one round trip.
    private func follow(_ rows: [Int: [Int64]]) throws -> [(Relation, ContiguousArray<RowReference>)] {
        var found: [(Relation, ContiguousArray<RowReference>)] = []
        var requests: [PipelineRequest] = []
        for (number, keys) in rows.sorted(by: { $0.key < $1.key }) {
            guard let layout = engine.layouts.byNumber[number] else { continue }
            let queries = try DeletionQueries(layout, engine.tables)
            for relation in relations(of: layout) {
                guard let destination = engine.layouts.byNumber[relation.relationship.destinationNumber],
                    let sql = try queries.related(relation.relationship, to: destination)
                else { continue }
                let selectsEntity = try engine.tables.columns(of: destination).hasSubentities
                requests.append(
                    transaction.locking(sql.text, Self.parameters(keys), of: destination, selectsEntity) {
                        found.append((relation, $0))
                    })
            }
        }
        if !requests.isEmpty { try transaction.run(requests) }
        return found
    }

    private func relations(of layout: EntityLayout) -> [Relation] {
        layout.relationships.compactMap { relationship in
            let cascades = relationship.deleteRule == .cascade
            // A to-one inverse that is not optional cannot be cleared.
            let needsOwner =
                (cascades || relationship.deleteRule == .nullify)
                && relationship.inverse.map { !$0.isToMany && !$0.isOptional } ?? false
            let forbids = relationship.deleteRule == .deny || needsOwner
            guard cascades || forbids else { return nil }
            return Relation(layout: layout, relationship: relationship, cascades: cascades, forbids: forbids)
        }
    }

    // MARK: Rules

    private func checkRules() throws {
        for (relation, rows) in related {
            let survives = rows.contains { !(doomed[$0.entityNumber]?.contains($0.key) ?? false) }
            guard survives else { continue }
            let (layout, relationship) = (relation.layout, relation.relationship)
            if relationship.deleteRule == .deny {
                throw CoreDataError.make(
                    NSValidationRelationshipDeniedDeleteError,
                    description: "The batch delete is denied by the rule of \(layout.name).\(relationship.name).",
                    reason: "Objects to be deleted still have objects in \(layout.name).\(relationship.name), whose "
                        + "rule is deny.",
                    advice: "Delete or detach those objects first.", entity: layout.name, key: relationship.name)
            }
            let destination = engine.layouts.byNumber[relationship.destinationNumber]?.name ?? ""
            let inverse = relationship.inverse?.name ?? ""
            throw CoreDataError.make(
                NSValidationMissingMandatoryPropertyError,
                description: "The batch delete would leave objects without a required one.",
                reason: "\(destination).\(inverse) is not optional, and objects that stay point to deleted ones.",
                advice: "Use the cascade rule for \(layout.name).\(relationship.name), or delete those objects too.",
                entity: destination, key: inverse)
        }
    }

    /// Removes rows from the to-one inverse relationships of the rows that remain.
    private func detachments(_ layout: EntityLayout, _ keys: [Int64]) throws -> [PipelineRequest] {
        let queries = try DeletionQueries(layout, engine.tables)
        return try layout.rulesOfDeletion.compactMap { relationship in
            guard let inverse = relationship.inverse, !inverse.isToMany,
                let destination = engine.layouts.byNumber[relationship.destinationNumber],
                case .cell(let cell)? = destination.members[inverse.name],
                let sql = try queries.detachment(from: cell, of: destination)
            else { return nil }
            return Self.request(sql, keys)
        }
    }

    // MARK: Deleting

    private func deletions(_ layout: EntityLayout, _ keys: [Int64]) throws -> [PipelineRequest] {
        let queries = try DeletionQueries(layout, engine.tables)
        let links = layout.relationships.flatMap { queries.links(of: $0) }
        return try (links + [queries.rows()]).map { Self.request($0, keys) }
    }

    private static func request(_ sql: SQLStatement, _ keys: [Int64]) -> PipelineRequest {
        PipelineRequest(ServerStatement(sql.text, isPrepared: false), parameters(keys))
    }

    private static func parameters(_ keys: [Int64]) -> ParameterList {
        var parameters = ParameterList()
        parameters.add(keys)
        return parameters
    }
}
#endif
