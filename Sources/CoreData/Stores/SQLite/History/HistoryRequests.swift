import CCoreDataSQLite
import Foundation

/// Reads and purges the history of one store.
struct HistoryRequests {
    let engine: SQLiteEngine
    let store: NSPersistentStore

    private var storeID: String { store.identifier }
    private var places: HistoryPlaces {
        HistoryPlaces(
            store: storeID, stores: store.persistentStoreCoordinator?.persistentStores.map(\.identifier) ?? [])
    }

    func run(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        guard engine.recordsHistory else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "The store keeps no history.",
                reason: "Persistent history tracking is not enabled on it.",
                advice: "Add the store with NSPersistentHistoryTrackingKey set to true.")
        }
        switch request.operation {
        case .fetch(let position): return try fetch(request, after: position)
        case .fetchMatching: return try fetch(request, after: .start)
        case .delete(let position):
            let count = try purge(before: position)
            return NSPersistentHistoryResult(
                result: request.resultType == .count ? count : true, resultType: request.resultType)
        }
    }

    // MARK: Reading

    private func fetch(
        _ request: NSPersistentHistoryChangeRequest, after position: NSPersistentHistoryChangeRequest.Position
    ) throws -> NSPersistentHistoryResult {
        let filter = request.fetchRequest?.settings
        let entityName = filter?.entity?.name ?? filter?.entityName
        let isAboutChanges = entityName?.lowercased().contains("change") ?? false
        var (transactions, firstKept) = try engine.pool.read { connection in
            (try self.transactions(after: position, connection), try self.firstKept(connection))
        }
        if let given = filter?.predicate {
            let predicate = try HistoryFilter(places: places, firstKept: firstKept).resolve(given)
            if isAboutChanges {
                for transaction in transactions {
                    transaction.changes = try transaction.changes?.filter { try predicate.holds(for: $0) }
                }
                transactions.removeAll { $0.changes?.isEmpty ?? true }
            } else {
                try transactions.removeAll { try !predicate.holds(for: $0) }
            }
        }
        if let limit = filter?.fetchLimit, limit > 0 { transactions = Array(transactions.prefix(limit)) }
        return NSPersistentHistoryResult(
            result: result(transactions, request.resultType), resultType: request.resultType)
    }

    private func result(_ transactions: [NSPersistentHistoryTransaction], _ type: NSPersistentHistoryResultType) -> Any
    {
        let changes = transactions.flatMap { $0.changes ?? [] }
        switch type {
        case .statusOnly: return true
        case .count: return changes.count
        case .objectIDs: return NSPersistentHistoryTransaction.objectIDs(of: changes)
        case .changesOnly: return changes
        case .transactionsOnly:
            for transaction in transactions { transaction.changes = nil }
            return transactions
        case .transactionsAndChanges: return transactions
        }
    }

    /// The condition on transactions that come after a place, and its parameter.
    private func condition(
        after position: NSPersistentHistoryChangeRequest.Position, _ connection: SQLiteConnection
    ) throws -> (sql: String, value: SQLValue) {
        switch position {
        case .start: return ("t.Z_PK > ?1", .integer(0))
        case .date(let date): return ("t.ZTIMESTAMP > ?1", .real(date.timeIntervalSinceReferenceDate))
        case .token(let token):
            let number = try places.number(token.transactionNumbers)
            if number > 0, try firstKept(connection) > number + 1 { throw HistoryFilter.expired(number) }
            return ("t.Z_PK > ?1", .integer(number))
        }
    }

    /// The first transaction that was not purged; one beyond the last if all were.
    private func firstKept(_ connection: SQLiteConnection) throws -> Int64 {
        let highest = HistoryTables.highest(HistoryTables.transactionEntity)
        return try connection.integer("SELECT IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION), (\(highest)) + 1)")
    }

    private func transactions(
        after position: NSPersistentHistoryChangeRequest.Position, _ connection: SQLiteConnection
    ) throws -> [NSPersistentHistoryTransaction] {
        let (condition, value) = try condition(after: position, connection)
        let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
        let columns = names.map { name in
            engine.historyHasStrings
                ? "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\(name)TS), t.Z\(name))"
                : "t.Z\(name)"
        }
        let statement = try connection.prepare(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(columns.joined(separator: ", ")) FROM ATRANSACTION t WHERE \(condition) "
                + "ORDER BY t.Z_PK")
        try statement.bind(value, at: 1)
        var transactions: [NSPersistentHistoryTransaction] = []
        while try statement.step() {
            let transaction = NSPersistentHistoryTransaction(
                timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
                transactionNumber: statement.integer(0), storeID: storeID, bundleID: statement.text(3) ?? "",
                processID: statement.text(5) ?? "", contextName: statement.text(4), author: statement.text(2))
            transaction.changes = []
            transactions.append(transaction)
        }
        try readChanges(of: transactions, connection)
        return transactions
    }

    private func readChanges(of transactions: [NSPersistentHistoryTransaction], _ connection: SQLiteConnection) throws {
        guard let first = transactions.first else { return }
        let byNumber = Dictionary(transactions.map { ($0.transactionNumber, $0) }) { first, _ in first }
        let statement = try connection.prepare(
            "SELECT * FROM ACHANGE WHERE ZTRANSACTIONID >= ? ORDER BY ZTRANSACTIONID, Z_PK")
        try statement.bind(first.transactionNumber, at: 1)
        var places: [String: Int32] = [:]
        for column in 0..<statement.columnCount {
            places[String(cString: sqlite3_column_name(statement.pointer, column))] = column
        }
        func place(_ name: String) -> Int32 { places[name] ?? -1 }
        while try statement.step() {
            guard let transaction = byNumber[statement.integer(place("ZTRANSACTIONID"))],
                let number = engine.numbering.inModel(Int(statement.integer(place("ZENTITY")))),
                let layout = engine.layouts.byNumber[number],
                let type = NSPersistentHistoryChangeType(rawValue: Int(statement.integer(place("ZCHANGETYPE"))))
            else { continue }
            let key = statement.integer(place("ZENTITYPK"))
            guard key > 0, key <= RowReference.largestKey else {
                throw UnreadableRow.outOfRange(
                    key, table: "ACHANGE", column: "ZENTITYPK", key: statement.integer(place("Z_PK")),
                    path: connection.path, entity: layout.name)
            }
            let reference = RowReference(entityNumber: number, key: key)
            let columns = statement.data(place("ZCOLUMNS"))
            let change = NSPersistentHistoryChange(
                changeID: statement.integer(place("Z_PK")), changedObjectID: store.objectID(for: reference),
                changeType: type, tombstone: type == .delete ? try tombstone(statement, places, layout) : nil,
                updatedProperties: type == .update
                    ? columns.map { properties(in: $0, of: layout) } : nil)
            change.transaction = transaction
            transaction.changes?.append(change)
        }
    }

    private func properties(in bitmap: Data, of layout: EntityLayout) -> Set<NSPropertyDescription> {
        let known = layout.entity.propertiesByName
        return Set(HistoryColumns.properties(in: bitmap, of: layout).compactMap { known[$0] })
    }

    private func tombstone(
        _ statement: SQLiteStatement, _ places: [String: Int32], _ layout: EntityLayout
    ) throws -> [AnyHashable: Any]? {
        var values: [AnyHashable: Any] = [:]
        for (index, cell) in HistoryTables.preserved(layout).enumerated() {
            guard let column = places["ZTOMBSTONE\(index)"] else { continue }
            let type = ValueType(cell)
            if let value = try? ResultValue.decode(statement, column, type, engine.files) { values[cell.name] = value }
        }
        return values.isEmpty ? nil : values
    }

    // MARK: Purging

    /// Deletes the transactions before a place; how many changes went.
    private func purge(before position: NSPersistentHistoryChangeRequest.Position) throws -> Int {
        try engine.write { connection in
            let condition: String
            let value: SQLValue
            switch position {
            case .start: return 0
            case .date(let date): (condition, value) = ("ZTIMESTAMP < ?1", .real(date.timeIntervalSinceReferenceDate))
            case .token(let token):
                (condition, value) = ("Z_PK < ?1", .integer(token.transactionNumbers[storeID] ?? 0))
            }
            let changes = try connection.prepare(
                "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))")
            try changes.bind(value, at: 1)
            try changes.run()
            let count = connection.changedRows
            let transactions = try connection.prepare("DELETE FROM ATRANSACTION WHERE \(condition)")
            try transactions.bind(value, at: 1)
            try transactions.run()
            return count
        }
    }
}

extension SQLiteEngine {
    /// The number of the last transaction in history; nil when none is kept.
    func lastHistoryTransaction() throws -> Int64? {
        guard recordsHistory else { return nil }
        return try pool.read {
            try $0.integer(HistoryTables.highest(HistoryTables.transactionEntity))
        }
    }
}

extension NSPersistentStoreCoordinator {
    final func historyToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let wanted =
            stores.flatMap { $0.isEmpty ? nil : $0.compactMap { $0 as? NSPersistentStore } } ?? persistentStores
        var numbers: [String: Int64] = [:]
        for case let store as SQLiteStore in wanted {
            if let number = try? store.engine.lastHistoryTransaction() { numbers[store.identifier] = number }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(transactionNumbers: numbers)
    }
}
