import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// Reads and purges the history of one store.
extension SQLiteEngine {
    func history(_ query: HistoryQuery, in session: SQLiteSession) throws -> HistoryAnswer {
        try requireHistory()
        return try session.read { connection in
            // The transaction makes history transactions and their changes consistent.
            try connection.inOneTransaction {
                let lacking = try check(query.needs, connection)
                guard lacking.unknownMarks.isEmpty, lacking.purgedMarks.isEmpty else { return lacking }
                return try HistoryReading(query, self, connection).answer()
            }
        }
    }

    func purgeHistory(before limit: HistoryLimit) throws -> Int {
        try requireHistory()
        let limiting: String
        let value: SQLValue
        switch limit {
        case .date(let date): (limiting, value) = ("ZTIMESTAMP < ?1", .real(date.timeIntervalSinceReferenceDate))
        case .transaction(let place): (limiting, value) = ("Z_PK < ?1", .integer(try place.transactionNumber()))
        }
        return try write { connection in
            let condition = limiting + (try HistoryReaderTable.purgeCondition(connection))
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

    func lastHistoryMark(in session: SQLiteSession) throws -> HistoryMark? {
        guard recordsHistory else { return nil }
        return try session.read { connection in
            let statement = try connection.prepare(
                "SELECT n, (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = n) "
                    + "FROM (SELECT (\(HistoryTables.highest(HistoryTables.transactionEntity))) n)")
            guard try statement.step() else { return HistoryMark(place: .start, timestamp: nil) }
            return HistoryMark(
                place: HistoryPlace(number: statement.integer(0)),
                timestamp: statement.isNull(1) ? nil : statement.double(1))
        }
    }

    /// Collects the required marks that this history does not contain.
    private func check(_ needs: [HistoryQuery.Need], _ connection: SQLiteConnection) throws -> HistoryAnswer {
        var answer = HistoryAnswer()
        guard !needs.isEmpty else { return answer }
        let last = try connection.integer(HistoryTables.highest(HistoryTables.transactionEntity))
        // The number after the last one if all transactions were deleted.
        let firstKept = try connection.integer("SELECT IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION), \(last) + 1)")
        for need in needs {
            guard let number = need.mark.place.number, number <= last,
                try isWritten(number, at: need.mark.timestamp, connection)
            else {
                answer.unknownMarks.append(need.mark)
                continue
            }
            if number + (need.includesTransaction ? 0 : 1) < firstKept { answer.purgedMarks.append(need.mark) }
        }
        return answer
    }

    /// Returns true if a transaction was written at the given time, or has been deleted and may have been.
    private func isWritten(_ number: Int64, at timestamp: Double?, _ connection: SQLiteConnection) throws -> Bool {
        guard let timestamp else { return true }
        let statement = try connection.statement(text("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?"))
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        return try !statement.step() || statement.double(0) == timestamp
    }

    func requireHistory() throws {
        guard !recordsHistory else { return }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store keeps no history.",
            reason: "Persistent history tracking is not enabled on it.",
            advice: "Add the store with NSPersistentHistoryTrackingKey set to true.")
    }
}

extension HistoryPlace {
    /// Returns the number of the transaction directly before the position; 0 for the start. One connection writes at a time,
    /// so numbers are in the order of commits.
    ///
    /// - Throws: `NSCoreDataError` for a position of another engine.
    func transactionNumber() throws -> Int64 {
        if let number { return number }
        throw CoreDataError.make(
            NSCoreDataError, description: "The history has no such place.",
            reason: "\(self) is no place in the history of a SQLite store.")
    }
}
