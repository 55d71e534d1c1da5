import CoreDataRowStorage

/// The types with which Core Data declares columns.
enum ColumnType: String, Sendable {
    case integer = "INTEGER"
    case decimal = "DECIMAL"
    case float = "FLOAT"
    case varchar = "VARCHAR"
    case timestamp = "TIMESTAMP"
    case blob = "BLOB"

    /// Creates the type for values of a kind; returns nil for those that are never stored.
    init?(_ kind: CellKind) {
        switch kind {
        case .int16, .int32, .int64, .boolean, .reference: self = .integer
        case .double, .float: self = .float
        case .date: self = .timestamp
        case .decimal: self = .decimal
        case .string, .uri: self = .varchar
        case .data, .uuid, .transformable: self = .blob
        case .boxed: return nil
        }
    }
}

extension CellKind {
    /// The rank by which Core Data sorts the columns of a table: integers first, binary data last.
    var columnRank: Int {
        switch self {
        case .int16, .int32, .int64, .boolean, .reference, .boxed: 0
        case .date, .double, .float: 2
        case .decimal: 3
        case .string: 4
        case .uri: 5
        case .uuid: 6
        case .transformable: 7
        case .data: 8
        }
    }
}
