import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import PredicateFormat

/// Answers one question about the history of a store: predicate, order, limit and count are SQLite's work, so that the cost
/// grows with the answer.
package struct HistoryReading {
    private let engine: SQLiteEngine
    private let query: HistoryQuery
    private let connection: SQLiteConnection
    private let condition: HistoryCondition
    /// The rows asked about: FROM and WHERE, and the order with its limit.
    private let source: String
    private let order: String
    private let tail: String
    /// What is bound behind the predicate's constants.
    private let values: [SQLValue]

    package init(_ query: HistoryQuery, _ engine: SQLiteEngine, _ connection: SQLiteConnection) throws {
        self.query = query
        self.engine = engine
        self.connection = connection
        condition = try HistoryCondition(query, engine) { try Self.hasStringsOnly(connection) }
        order = try condition.order(query)
        var (conditions, values) = (condition.conditions, [SQLValue]())
        let count = condition.bindings.count
        func parameter(_ value: SQLValue) -> String {
            values.append(value)
            return "?\(count + values.count)"
        }
        switch query.after {
        case .place(.start): break
        case .date(let date):
            conditions.append("t.ZTIMESTAMP > \(parameter(.real(date.timeIntervalSinceReferenceDate)))")
        case .place(let place):
            let mark = parameter(.integer(try place.transactionNumber()))
            conditions.append("t.Z_PK > \(mark)")
            if query.subject == .changes { conditions.append("c.ZTRANSACTIONID > \(mark)") }
        }
        if query.subject == .changes { conditions.append(engine.knownHistoryChanges) }
        let tables =
            query.subject == .changes
            ? "ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID" : "ATRANSACTION t"
        source = "FROM \(tables)" + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
        if query.limit > 0 || query.offset > 0 {
            let limit = parameter(.integer(query.limit > 0 ? Int64(query.limit) : -1))
            tail = "\(order) LIMIT \(limit) OFFSET \(parameter(.integer(Int64(query.offset))))"
        } else {
            tail = ""
        }
        self.values = values
    }

    /// Whether every transaction has its names in the table of strings. Only those of older frameworks have not, and such a
    /// transaction has no number for its process. One look into an index.
    private static func hasStringsOnly(_ connection: SQLiteConnection) throws -> Bool {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM ATRANSACTION WHERE ZPROCESSIDTS IS NULL)") == 0
    }

    package func answer() throws -> HistoryAnswer {
        var answer = HistoryAnswer()
        switch query.content {
        case .nothing: break
        case .count: answer.count = try count()
        case .rows: answer.changes = try changes(isFull: false)
        case .transactions: answer.transactions = try transactions()
        case .everything:
            answer.transactions = try transactions()
            if !answer.transactions.isEmpty { answer.changes = try changes(isFull: true) }
        }
        return answer
    }

    private func run(_ sql: String, _ body: (SQLiteStatement) throws -> Void) throws {
        let statement = try connection.prepare(sql)
        try ConstantBinder(engine: engine).bind(condition.bindings, .list(condition.constants), to: statement)
        for (index, value) in values.enumerated() {
            try statement.bind(value, at: Int32(condition.bindings.count + index + 1))
        }
        while try statement.step() { try body(statement) }
    }

    /// The changes of what was selected, where that is transactions.
    private var changesOfSelected: String {
        "FROM (SELECT t.Z_PK \(source)\(tail)) s CROSS JOIN ACHANGE c ON c.ZTRANSACTIONID = s.Z_PK "
            + "WHERE \(engine.knownHistoryChanges)"
    }

    private func count() throws -> Int {
        var count: Int64 = 0
        let sql =
            switch query.subject {
            case .transactions: "SELECT COUNT(*) \(changesOfSelected)"
            case .changes:
                tail.isEmpty ? "SELECT COUNT(*) \(source)" : "SELECT COUNT(*) FROM (SELECT 1 \(source)\(tail))"
            }
        try run(sql) { count = $0.integer(0) }
        return Int(count)
    }

    // MARK: Transactions

    private func transactions() throws -> [HistoryTransaction] {
        let columns =
            (["t.Z_PK", "t.ZTIMESTAMP"]
            + ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map(engine.historyName)).joined(separator: ", ")
        let sql =
            switch query.subject {
            case .transactions: "SELECT \(columns) \(source)\(tail.isEmpty ? order : tail)"
            case .changes:
                "SELECT \(columns) FROM ATRANSACTION t WHERE t.Z_PK IN (SELECT n FROM "
                    + "(SELECT c.ZTRANSACTIONID n \(source)\(tail))) ORDER BY t.Z_PK"
            }
        var found: [HistoryTransaction] = []
        try run(sql) { row in
            found.append(
                HistoryTransaction(
                    number: row.integer(0), place: HistoryPlace(number: row.integer(0)),
                    timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)), author: row.text(2),
                    contextName: row.text(4), bundleID: row.text(3) ?? "", processID: row.text(5) ?? ""))
        }
        return found
    }

    // MARK: Changes

    private static let plainColumns = ["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"]

    /// - Parameter isFull: whether to read what an update changed and what a deletion left.
    private func changes(isFull: Bool) throws -> [HistoryChange] {
        let preserved = isFull ? engine.layouts.byNumber.map { $0.map(HistoryTables.preserved) ?? [] } : []
        let tombstones = try isFull ? tombstoneColumns(preserved.map(\.count).max() ?? 0) : []
        let names = Self.plainColumns + (isFull ? ["ZCOLUMNS"] : []) + tombstones
        let columns = names.map { "c.\($0)" }.joined(separator: ", ")
        let sql =
            switch query.subject {
            case .transactions: "SELECT \(columns) \(changesOfSelected) ORDER BY c.ZTRANSACTIONID, c.Z_PK"
            case .changes: "SELECT \(columns) \(source)\(tail.isEmpty ? order : tail)"
            }
        var found: [HistoryChange] = []
        try run(sql) { row in
            guard let number = engine.numbering.inModel(Int(row.integer(2))),
                let layout = engine.layouts.byNumber[number],
                let kind = HistoryChangeKind(rawValue: Int(row.integer(4)))
            else { return }
            let key = row.integer(3)
            guard RowReference.isKey(key) else {
                throw UnreadableRow.outOfRange(
                    key, table: "ACHANGE", column: "ZENTITYPK", key: row.integer(0), path: connection.path,
                    entity: layout.name)
            }
            var change = HistoryChange(
                number: row.integer(0), transaction: row.integer(1),
                row: RowReference(entityNumber: number, key: key), kind: kind)
            if isFull, kind == .update {
                change.properties = row.data(5).map { HistoryColumns.properties(in: $0, of: layout) }
            }
            if isFull, kind == .delete {
                change.tombstone = try tombstone(row, preserved[number].prefix(tombstones.count))
            }
            found.append(change)
        }
        return found
    }

    /// The columns that hold deleted values, as many as the file has.
    private func tombstoneColumns(_ count: Int) throws -> [String] {
        guard count > 0 else { return [] }
        let present = Set(try ActualSchema(connection).columns(of: "ACHANGE") ?? [])
        return Array((0..<count).lazy.map { "ZTOMBSTONE\($0)" }.prefix { present.contains($0) })
    }

    /// The values that a deletion left, without those whose files have been deleted since, or which no transformer can read.
    ///
    /// - Throws: ``MissingExternalValue`` errors for files that are there.
    private func tombstone(
        _ row: SQLiteStatement, _ cells: some Sequence<EntityLayout.Cell>
    ) throws -> [AnyHashable: Any]? {
        var values: [AnyHashable: Any] = [:]
        for (index, cell) in cells.enumerated() {
            let column = Int32(Self.plainColumns.count + 1 + index)
            do {
                values[cell.name] = try ResultValue.decode(row, column, ValueType(cell), engine.files)
            } catch let missing as ValueFolder.Missing {
                if !missing.isGone { throw MissingExternalValue.error(for: missing, nil, cell.name, of: nil) }
            } catch {
                continue
            }
        }
        return values.isEmpty ? nil : values
    }
}
