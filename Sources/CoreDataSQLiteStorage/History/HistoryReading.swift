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
    private let source: SQLFragment
    private let order: SQLFragment
    private let tail: SQLFragment

    package init(_ query: HistoryQuery, _ engine: SQLiteEngine, _ connection: SQLiteConnection) throws {
        self.query = query
        self.engine = engine
        self.connection = connection
        var condition = try HistoryCondition(query, engine) { try Self.hasStringsOnly(connection) }
        order = try condition.order(query)
        var conditions = condition.conditions
        switch query.after {
        case .place(.start): break
        case .date(let date): conditions.append("t.ZTIMESTAMP > \(try condition.parameter(date, .date))")
        case .place(let place):
            let mark = try condition.parameter(try place.transactionNumber(), .int64)
            conditions.append("t.Z_PK > \(mark)")
            if query.subject == .changes { conditions.append("c.ZTRANSACTIONID > \(mark)") }
        }
        if query.subject == .changes { conditions.append(engine.knownHistoryChanges) }
        var source: SQLFragment =
            query.subject == .changes
            ? "FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID" : "FROM ATRANSACTION t"
        if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
        self.source = source
        if query.limit > 0 || query.offset > 0 {
            let limit = try condition.parameter(query.limit > 0 ? query.limit : -1, .int64)
            tail = "\(order) LIMIT \(limit) OFFSET \(try condition.parameter(query.offset, .int64))"
        } else {
            tail = ""
        }
        self.condition = condition
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

    private func run(_ sql: SQLFragment, _ body: (SQLiteStatement) throws -> Void) throws {
        let sql = sql.statement(in: engine.dialect)
        let statement = try connection.prepare(sql.text)
        try ConstantBinder(engine: engine).bind(sql.bindings, .list(condition.constants), to: statement)
        while try statement.step() { try body(statement) }
    }

    /// The changes of what was selected, where that is transactions.
    private var changesOfSelected: SQLFragment {
        let selected: SQLFragment = "FROM (SELECT t.Z_PK \(source)\(tail)) s"
        return "\(selected) CROSS JOIN ACHANGE c ON c.ZTRANSACTIONID = s.Z_PK WHERE \(engine.knownHistoryChanges)"
    }

    private func count() throws -> Int {
        var count: Int64 = 0
        let sql: SQLFragment =
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
            (["t.Z_PK" as SQLFragment, "t.ZTIMESTAMP"]
            + ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map(engine.historyName)).joined(separator: ", ")
        let sql: SQLFragment =
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
        let columns = SQLFragment(raw: names.map { "c.\($0)" }.joined(separator: ", "))
        let sql: SQLFragment =
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
