#if PostgreSQL
import CoreDataRowStorage

/// The types of columns that hold the values of a kind unchanged. A column that was altered by hand has another one.
enum ColumnType {
    /// The object identifier of `varchar`, which has the binary form of `text`.
    private static let varchar: UInt32 = 1043

    static func isInteger(_ identifier: UInt32) -> Bool { fits(identifier, .int64) }
    static func isText(_ identifier: UInt32) -> Bool { fits(identifier, .string) }

    /// Returns true if a column of a type holds values of a kind, and no others.
    static func fits(_ identifier: UInt32, _ kind: CellKind) -> Bool {
        guard let type = ServerType(rawValue: identifier) else {
            return identifier == varchar && (kind == .string || kind == .uri)
        }
        return switch kind {
        case .int16: type == .int2
        case .int32: type == .int2 || type == .int4
        case .int64, .reference: type == .int2 || type == .int4 || type == .int8
        case .boolean: type == .bool
        case .float: type == .float4
        case .double: type == .float4 || type == .float8
        case .date: type == .timestamptz
        case .string, .uri: type == .text
        case .data, .transformable: type == .bytea
        case .uuid: type == .uuid
        case .decimal: type == .numeric
        case .boxed: false
        }
    }

    /// Returns the error for a column of another type; the engine then names the attribute.
    static func mismatch(_ column: String, _ identifier: UInt32) -> PostgreSQLError {
        PostgreSQLError(
            state: "42804",
            message: "The server sent a value of the type \(identifier), which does not fit its attribute: \(column).")
    }

    /// Throws if a column of a result has no keys.
    static func requireKeys(_ rows: ServerRows, _ column: Int = 0) throws {
        let type = rows.type(column)
        if !isInteger(type) { throw mismatch(rows.name(column), type) }
    }

    /// Throws if a column of a result has no text.
    static func requireText(_ rows: ServerRows, _ column: Int) throws {
        let type = rows.type(column)
        if !isText(type) { throw mismatch(rows.name(column), type) }
    }
}
#endif
