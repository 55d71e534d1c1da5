import Foundation

/// A rule that rows of a table must obey, as an SQL expression that is true for rows that violate it. The row is `t`.
struct RowCondition {
    var rule: StoreFinding.Rule
    var entity: String?
    var property: String?
    var sql: String
    var message: String
    var remedy: StoreFinding.Remedy
    /// The key to report, as SQL; nil for the row's own.
    var key: String?
    /// An integer, as SQL, of which the highest value of all violating rows is passed to `cause`.
    var detail: String?
    var cause: (@Sendable (_ highestDetail: Int64) -> String?)?
    /// True if another filter already selects the rows.
    var isFiltered = false
}

/// One pass over a table that evaluates many conditions, and reads only rows that violate one.
struct RowScan {
    struct Join: Hashable {
        var alias: String
        var table: String
        /// The SQL of the key of the joined row.
        var key: String
    }

    /// A column with values that may be names of external files.
    struct FileColumn {
        var column: String
        var entity: String
        var property: String
    }

    let table: String
    /// The SQL of the key of a row.
    var key = "t.Z_PK"
    private(set) var joins: [Join] = []
    private(set) var conditions: [RowCondition] = []
    private(set) var filters: [String] = []
    private(set) var files: [FileColumn] = []

    init(_ table: String) { self.table = table }

    /// True if the next rule should begin another scan: SQLite's limits are 64 joined tables and 2,000 columns.
    var isFull: Bool { joins.count > 50 || conditions.count > 400 || files.count > 200 }
    var isEmpty: Bool { conditions.isEmpty && files.isEmpty }

    /// Adds the row of a table with a key, and returns its alias.
    mutating func join(_ table: String, on key: String) -> String {
        if let known = joins.first(where: { $0.table == table && $0.key == key }) { return known.alias }
        let alias = "d\(joins.count)"
        joins.append(Join(alias: alias, table: table, key: key))
        return alias
    }

    mutating func add(_ condition: RowCondition) { conditions.append(condition) }
    mutating func filter(_ sql: String) { filters.append(sql) }
    mutating func add(_ file: FileColumn) { files.append(file) }

    /// Runs the scan.
    ///
    /// - Parameter file: Receives each value that names an external file: the position of its column, the key of the row, and
    ///   the bytes.
    func run(_ check: CheckRun, file: (Int, Int64, Data) -> Void = { _, _, _ in }) throws {
        let names = files.map { file in
            let column = "t.\(file.column.quotedIdentifier)"
            return "(length(\(column)) = 38 AND \(column) >= X'02' AND \(column) < X'03')"
        }
        var outputs = [key]
        var details: [Int: Int] = [:]
        var keys: [Int: Int] = [:]
        for condition in conditions { outputs.append("(\(condition.sql))") }
        for (index, condition) in conditions.enumerated() {
            if let detail = condition.detail {
                details[index] = outputs.count
                outputs.append(detail)
            }
            if let key = condition.key {
                keys[index] = outputs.count
                outputs.append(key)
            }
        }
        let firstFile = outputs.count
        for (file, name) in zip(files, names) {
            outputs.append("CASE WHEN \(name) THEN t.\(file.column.quotedIdentifier) END")
        }
        let terms = conditions.filter { !$0.isFiltered }.map { "(\($0.sql))" } + filters + names
        let sql =
            "SELECT \(outputs.joined(separator: ", ")) FROM \(table.quotedIdentifier) AS t NOT INDEXED"
            + joins.map {
                " LEFT JOIN \($0.table.quotedIdentifier) AS \($0.alias) ON \($0.alias).Z_PK = \($0.key)"
            }.joined() + " WHERE \(Self.anyOf(terms[...]))"
        var counts = [Int](repeating: 0, count: conditions.count)
        var found = [[Int64]](repeating: [], count: conditions.count)
        var highest = [Int64](repeating: .min, count: conditions.count)
        // What was found before a damaged page is reported, too.
        defer {
            for (index, condition) in conditions.enumerated() where counts[index] > 0 {
                check.add(
                    StoreFinding(
                        condition.rule, table: table, entity: condition.entity, property: condition.property,
                        keys: found[index], count: counts[index], condition.message,
                        cause: condition.cause?(highest[index]), remedy: condition.remedy))
            }
        }
        let statement = try check.database.prepare(sql)
        while try statement.step() {
            for index in conditions.indices where statement.integer(index + 1) != 0 {
                counts[index] += 1
                if found[index].count < StoreFinding.keyLimit {
                    found[index].append(statement.integer(keys[index] ?? 0))
                }
                if let detail = details[index] { highest[index] = max(highest[index], statement.integer(detail)) }
            }
            for index in files.indices where !statement.isNull(firstFile + index) {
                file(index, statement.integer(0), statement.data(firstFile + index) ?? Data())
            }
        }
    }

    /// Returns the disjunction of terms, as a balanced tree: SQLite limits the depth of expressions.
    static func anyOf(_ terms: ArraySlice<String>) -> String {
        guard terms.count > 2 else { return terms.isEmpty ? "0" : terms.joined(separator: " OR ") }
        let middle = terms.startIndex + terms.count / 2
        return "(\(anyOf(terms[..<middle]))) OR (\(anyOf(terms[middle...])))"
    }
}
