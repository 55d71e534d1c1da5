#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The type of a parameter, as ``PostgreSQLDialect`` writes it into statements.
struct ParameterType: Sendable {
    let type: ServerType
    let isArray: Bool

    init(_ name: String) throws {
        isArray = name.hasSuffix("[]")
        type =
            switch isArray ? String(name.dropLast(2)) : name {
            case "boolean": .bool
            case "smallint": .int2
            case "integer": .int4
            case "bigint": .int8
            case "real": .float4
            case "double precision": .float8
            case "numeric": .numeric
            case "text": .text
            case "timestamptz": .timestamptz
            case "uuid": .uuid
            case "bytea": .bytea
            default: throw UnsupportedQuery.expression(name, kind: "type of a parameter")
            }
    }
}
#endif
