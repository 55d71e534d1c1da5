import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import PredicateFormat

/// Runs one query on the persistent history of a store.
package struct HistoryReading {
    private let engine: SQLiteEngine
    private let query: HistoryQuery
    private let connection: SQLiteConnection
    private let statements: HistoryStatements

    package init(_ query: HistoryQuery, _ engine: SQLiteEngine, _ connection: SQLiteConnection) throws {
        self.query = query
        self.engine = engine
        self.connection = connection
        var statements = try HistoryStatements(query, SQLiteHistory(engine, connection), engine)
        switch query.after {
        case .place(.start): break
        case .date(let date): try statements.follow(date)
        case .place(let place): try statements.follow([(try place.transactionNumber(), .int64)])
        }
        try statements.finish()
        self.statements = statements
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

    private func run(_ sql: SQLStatement, _ body: (SQLiteStatement) throws -> Void) throws {
        let statement = try connection.prepare(sql.text)
        try ConstantBinder(engine: engine).bind(sql.bindings, .list(statements.constants), to: statement)
        while try statement.step() { try body(statement) }
    }

    private func count() throws -> Int {
        var count: Int64 = 0
        try run(statements.count()) { count = $0.integer(0) }
        return Int(count)
    }

    // MARK: Transactions

    private func transactions() throws -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        try run(statements.transactions()) { row in
            var transaction = HistoryTransaction(
                number: row.integer(0), place: HistoryPlace(number: row.integer(0)),
                timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)), author: row.text(2),
                contextName: row.text(4), bundleID: row.text(3) ?? "", processID: row.text(5) ?? "")
            transaction.isOwn = engine.ownTransactions.contains(row.integer(0), at: row.double(1))
            found.append(transaction)
        }
        return found
    }

    // MARK: Changes

    /// The column of the first tombstone, after those of every change and the columns that an update changed.
    private static let firstTombstone: Int32 = 6

    /// Returns the changes that match the query.
    ///
    /// - Parameter isFull: whether to read the updated properties and the tombstones.
    private func changes(isFull: Bool) throws -> [HistoryChange] {
        let preserved = isFull ? engine.layouts.byNumber.map { $0.map(HistoryTables.preserved) ?? [] } : []
        let tombstones = try isFull ? tombstoneColumns(preserved.map(\.count).max() ?? 0) : []
        let more = isFull ? (["ZCOLUMNS"] + tombstones).map { SQLFragment(raw: $0) } : []
        var found: [HistoryChange] = []
        try run(statements.changes(selecting: more)) { row in
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

    /// Returns the tombstone columns that the file has, at most `count`.
    private func tombstoneColumns(_ count: Int) throws -> [String] {
        guard count > 0 else { return [] }
        let present = Set(try ActualSchema(connection).columns(of: "ACHANGE") ?? [])
        return Array((0..<count).lazy.map { "ZTOMBSTONE\($0)" }.prefix { present.contains($0) })
    }

    /// Returns the values that a deletion preserved, except those in files that have been deleted since, and those that no
    /// transformer can read.
    ///
    /// - Throws: ``MissingExternalValue`` errors for files that exist but cannot be read.
    private func tombstone(
        _ row: SQLiteStatement, _ cells: some Sequence<EntityLayout.Cell>
    ) throws -> [AnyHashable: Any]? {
        var values: [AnyHashable: Any] = [:]
        for (index, cell) in cells.enumerated() {
            let column = Self.firstTombstone + Int32(index)
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
