/// The source of a row's value in a column of the new tables.
struct CellSource: Hashable {
    /// The column of the old table.
    var column: String?
    var conversion: ColumnConversion?
    /// The constant for rows without a value there.
    var fallback: String?

    static let null = CellSource()
    static func column(_ name: String?) -> CellSource { CellSource(column: name) }

    /// True if rows get a constant.
    var isConstant: Bool { column == nil && fallback != nil }

    /// Returns the value.
    ///
    /// - Parameter name: Returns the present name of an old column, quoted.
    func sql(_ name: (String) -> String) -> String {
        guard let column else { return fallback ?? "NULL" }
        let value = conversion?.sql(name(column)) ?? name(column)
        return fallback.map { "coalesce(\(value), \($0))" } ?? value
    }
}

/// A condition that selects rows by the names of their entities.
enum RowCondition {
    case all, none
    case names([String])

    /// Returns the condition of rows.
    ///
    /// - Parameters:
    ///   - names: The names of the entities wanted.
    ///   - present: The names of all entities that rows of the table may have.
    init(_ names: [String], of present: [String]) {
        let found = present.filter(names.contains)
        self = found.isEmpty ? .none : found.count == present.count ? .all : .names(found)
    }

    /// Returns the SQL; nil if all rows are meant.
    func sql(_ alias: String) -> String? {
        switch self {
        case .all: nil
        case .none: "false"
        case .names(let names): "\(alias).entity IN (\(names.map(PostgreSQLName.literal).joined(separator: ", ")))"
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }
    var isAll: Bool { if case .all = self { true } else { false } }
}
