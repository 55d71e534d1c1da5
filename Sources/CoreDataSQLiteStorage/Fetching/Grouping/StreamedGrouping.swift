import CoreDataSQLQueries
import CCoreDataSQLite

/// Groups rows as they are read, instead of SQLite.
///
/// To group rows that no index orders, SQLite sorts all of them, which takes much longer than reading them. A hash lookup of
/// each row's group is cheap, and only the groups are kept. The result equals that of SQLite's `GROUP BY`, to the last bit
/// and in the same order. If that is not certain, or if there are very many groups, SQLite groups the rows.
struct StreamedGrouping {
    /// A column of the result.
    enum Item {
        /// A grouping column, by its index among them.
        case key(Int)
        case aggregate(AggregateFunction, of: SQLFragment)
    }

    private let items: [Item]
    private let functions: ContiguousArray<AggregateFunction>
    private let sql: SQLStatement
    private let keyCount: Int

    /// Creates a grouping.
    ///
    /// - Parameters:
    ///   - items: the columns of the result, in order.
    ///   - keys: the grouping columns.
    ///   - source: the SQL from `FROM` on.
    init(_ items: [Item], keys: [SQLFragment], from source: SQLFragment, in dialect: any SQLDialect) {
        self.items = items
        var columns = keys
        var functions: ContiguousArray<AggregateFunction> = []
        for case .aggregate(let function, let column) in items {
            functions.append(function)
            columns.append(function == .rows ? "1" : column)
        }
        self.functions = functions
        let query: SQLFragment = "SELECT \(columns.joined(separator: ", ")) \(source)"
        sql = query.statement(in: dialect)
        keyCount = keys.count
    }

    /// Below this number of rows, sorting takes less time than checking the query plan.
    private static let fewestRows = 1_000
    /// With more groups than this, each must have several rows for streaming to pay.
    private static let fewGroups = 1_024
    private static let rowsOfGroup = 8

    /// Returns true if SQLite's plan for the query scans the whole table and sorts many rows.
    ///
    /// Both ways must read rows in the same order, because the sum of fractions depends on it.
    func pays(insteadOf query: String, table: String, on connection: SQLiteConnection) throws -> Bool {
        guard try connection.integer("SELECT max(Z_PK) FROM \(table)") >= Self.fewestRows else { return false }
        var plan = try Self.plan(of: query, on: connection)
        guard plan.first?.hasPrefix("SCAN") == true, plan.popLast() == "USE TEMP B-TREE FOR GROUP BY",
            try plan == Self.plan(of: sql.text, on: connection)
        else { return false }
        // The pragma shows in no plan; it is documented to have no effect on queries with an order.
        return try connection.integer("PRAGMA reverse_unordered_selects") == 0
    }

    private static func plan(of query: String, on connection: SQLiteConnection) throws -> [String] {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN \(query)")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(3) ?? "") }
        return lines
    }

    /// Calls `body` once per group with a statement positioned on a row of the group's values.
    ///
    /// - Returns: false, without having called `body`, if SQLite has to group the rows.
    func run(
        on connection: SQLiteConnection, _ way: GroupAggregate.Addition,
        bind: ([ParameterBinding], SQLiteStatement) throws -> Void, body: (SQLiteStatement) throws -> Void
    ) throws -> Bool {
        let rows = try connection.prepare(sql.text)
        defer { rows.reset() }
        try bind(sql.bindings, rows)
        var groups = GroupTable()
        var aggregates: ContiguousArray<GroupAggregate> = []
        let (keyColumns, count) = (Int32(keyCount), functions.count)
        var (rowCount, known) = (0, 0)
        while try rows.step() {
            guard let group = groups.group(of: rows.pointer, columns: keyColumns) else { return false }
            rowCount += 1
            if groups.count > known {
                known = groups.count
                guard known <= Self.fewGroups || known * Self.rowsOfGroup <= rowCount else { return false }
                aggregates.append(contentsOf: repeatElement(GroupAggregate(), count: count))
            }
            for number in 0..<count {
                let column = keyColumns + Int32(number)
                let place = group * count + number
                guard aggregates[place].add(rows.pointer, column, functions[number], way) else { return false }
            }
        }
        // The values go through a statement, so that they are read like any other result.
        let result = try connection.prepare("SELECT \(items.indices.map { "?\($0 + 1)" }.joined(separator: ", "))")
        for group in groups.sorted() {
            try bindResult(groups.values(of: group), aggregates[(group * count)...], to: result)
            _ = try result.step()
            try body(result)
            result.reset()
        }
        return true
    }

    private func bindResult(
        _ keys: ContiguousArray<GroupTable.Value>, _ aggregates: ArraySlice<GroupAggregate>,
        to statement: SQLiteStatement
    ) throws {
        var next = aggregates.startIndex
        for (index, item) in items.enumerated() {
            let parameter = Int32(index + 1)
            switch item {
            case .key(let number):
                switch keys[number] {
                case .null: try statement.bindNull(at: parameter)
                case .integer(let value): try statement.bind(value, at: parameter)
                case .text(let bytes): try bytes.withUnsafeBytes { try statement.bindText(copying: $0, at: parameter) }
                }
            case .aggregate(let function, _):
                try aggregates[next].bind(function, to: statement, at: parameter)
                next += 1
            }
        }
    }
}
