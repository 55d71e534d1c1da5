#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The statement of a fetch, which fetches that differ in their constants and pages share.
protocol CompiledStatement: AnyObject {
    var statement: ServerStatement { get }
    var bindings: [ParameterBinding] { get }
    /// True if the limit is a parameter, after those of the constants.
    var hasLimit: Bool { get }
    /// True if the offset is the last parameter.
    var hasOffset: Bool { get }
}

extension CompiledStatement {
    /// Returns the parameters of one fetch.
    func parameters(_ fetch: StoreFetch, _ constants: [Any?], _ engine: PostgreSQLEngine) throws -> ParameterList {
        var parameters = try ConstantEncoder(engine).parameters(bindings, constants)
        if hasLimit {
            if fetch.limit > 0 { parameters.add(Int64(fetch.limit)) } else { parameters.addNull() }
        }
        if hasOffset { parameters.add(Int64(fetch.offset)) }
        return parameters
    }
}
#endif
