#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

extension BatchTransaction {
    /// Returns the references of the rows that a fetch finds, and locks them, in one round trip.
    func lock(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try fetch.interruption?.check()
        let (compiled, constants) = try engine.compiled(fetch, .references)
        var parameters = try ConstantEncoder(engine).parameters(compiled.bindings, constants)
        if compiled.hasLimit {
            if fetch.limit > 0 { parameters.add(Int64(fetch.limit)) } else { parameters.addNull() }
        }
        if compiled.hasOffset { parameters.add(Int64(fetch.offset)) }
        var found: ContiguousArray<RowReference> = []
        try run([
            locking(compiled.statement.text, parameters, of: fetch.layout, compiled.selectsEntity) {
                found = $0
            }
        ])
        return found
    }

    /// Returns a query of references that locks the rows of the alias `t0`.
    func locking(
        _ text: String, _ parameters: ParameterList, of layout: EntityLayout, _ selectsEntity: Bool,
        receive: @escaping (ContiguousArray<RowReference>) throws -> Void
    ) -> PipelineRequest {
        let layouts = engine.layouts
        return PipelineRequest(ServerStatement("\(text) FOR UPDATE OF t0", isPrepared: false), parameters) { rows in
            var references: ContiguousArray<RowReference> = []
            references.reserveCapacity(rows.count)
            for row in 0..<rows.count {
                var entity = layout
                if selectsEntity {
                    let name = rows.text(row, 1)
                    guard let found = layouts.byName[name] else { throw BinaryValue.unreadable("the entity “\(name)”") }
                    entity = found
                }
                references.append(RowReference(entityNumber: entity.number, key: try rows.int64(row, 0)))
            }
            try receive(references)
        }
    }
}
#endif
