#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

extension BatchTransaction {
    /// Returns the references of the rows that a fetch finds, and locks them, in one round trip.
    func lock(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try fetch.interruption?.check()
        let (compiled, constants) = try engine.compiled(fetch, .references)
        let parameters = try compiled.parameters(fetch, constants, engine)
        var found: ContiguousArray<RowReference> = []
        try run([
            locking(compiled.statement.text, parameters, of: fetch.layout, compiled.entityColumn != nil) {
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
                references.append(
                    try rows.reference(row, entity: selectsEntity ? 1 : nil, of: layout, layouts))
            }
            try receive(references)
        }
    }
}
#endif
