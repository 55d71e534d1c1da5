import CSQLite
import Foundation

enum IndexCondition {
    static func sql(_ predicate: NSPredicate, columns: SQLSchema, layout: EntityLayout) throws -> String {
        throw CoreDataError.make(NSCoreDataError, description: "Partial indexes are not supported.")
    }
}

extension SQLiteStore {
    private func from(_ fetch: StoreFetch) throws -> String {
        guard fetch.predicate == nil, fetch.sortDescriptors.isEmpty else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "Predicates are not translated to SQL yet.")
        }
        let columns = try engine.columns(of: fetch.layout)
        let family = fetch.includesSubentities ? fetch.layout.familyNumbers : [fetch.layout.number]
        let numbers = try family.map { String(try engine.numbering.inFile[$0]) }.joined(separator: ", ")
        let restriction = columns.sharesTable ? " WHERE t0.Z_ENT IN (\(numbers))" : ""
        let limit =
            fetch.limit > 0 || fetch.offset > 0
            ? " LIMIT \(fetch.limit > 0 ? fetch.limit : -1) OFFSET \(fetch.offset)" : ""
        return " FROM \(columns.table) t0\(restriction)\(limit)"
    }
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        let plan = try engine.rowPlan(for: fetch.layout, includesSubentities: fetch.includesSubentities)
        let sql = "SELECT \(plan.selectList)\(try from(fetch))"
        try engine.pool.read { try engine.deliver($0.prepare(sql), plan, expected: fetch.limit, into: sink) }
    }
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        let shares = try engine.columns(of: fetch.layout).sharesTable
        let sql = "SELECT t0.Z_PK\(shares ? ", t0.Z_ENT" : "")\(try from(fetch))"
        return try engine.pool.read {
            try engine.references($0.prepare(sql), number: fetch.layout.number, isPolymorphic: shares)
        }
    }
    func countRows(_ fetch: StoreFetch) throws -> Int {
        let sql = "SELECT COUNT(*) FROM (SELECT t0.Z_PK\(try from(fetch)))"
        return try engine.pool.read { Int(try $0.integer(sql)) }
    }
    func fetchDictionaries(_ fetch: StoreFetch) throws -> [[String: Any]] {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "Dictionary results are not supported yet.")
    }
    func execute(direct request: NSPersistentStoreRequest, mergePolicy: NSMergePolicy) throws -> NSPersistentStoreResult
    {
        throw CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError, description: "The request is not supported yet.")
    }
}
