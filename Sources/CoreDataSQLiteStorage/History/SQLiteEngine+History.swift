import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// Reads and purges the history of one store.
extension SQLiteEngine {
    func history(_ query: HistoryQuery, in session: SQLiteSession) throws -> HistoryAnswer {
        try requireHistory()
        return try session.read { connection in
            // Transactions and their changes are of one moment.
            try connection.inOneTransaction { try HistoryReading(query, self, connection).answer() }
        }
    }

    func purgeHistory(before place: HistoryPlace) throws -> Int {
        try requireHistory()
        return try write { connection in
            let condition: String
            let value: SQLValue
            switch place {
            case .start: return 0
            case .date(let date): (condition, value) = ("ZTIMESTAMP < ?1", .real(date.timeIntervalSinceReferenceDate))
            case .transaction(let number): (condition, value) = ("Z_PK < ?1", .integer(number))
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

    func lastHistoryMark(in session: SQLiteSession) throws -> HistoryMark? {
        guard recordsHistory else { return nil }
        return try session.read { connection in
            let statement = try connection.prepare(
                "SELECT n, (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = n) "
                    + "FROM (SELECT (\(HistoryTables.highest(HistoryTables.transactionEntity))) n)")
            guard try statement.step() else { return HistoryMark(number: 0, timestamp: nil) }
            return HistoryMark(
                number: statement.integer(0), timestamp: statement.isNull(1) ? nil : statement.double(1))
        }
    }

    /// Those of the marks that this history does not have.
    func unknownMarks(_ marks: [HistoryMark], _ connection: SQLiteConnection) throws -> [HistoryMark] {
        guard !marks.isEmpty else { return [] }
        let last = try connection.integer(HistoryTables.highest(HistoryTables.transactionEntity))
        return try marks.filter { mark in
            guard mark.number <= last else { return true }
            guard let timestamp = mark.timestamp else { return false }
            let statement = try connection.statement(text("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?"))
            defer { statement.reset() }
            try statement.bind(mark.number, at: 1)
            return try statement.step() && statement.double(0) != timestamp
        }
    }

    private func requireHistory() throws {
        guard !recordsHistory else { return }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store keeps no history.",
            reason: "Persistent history tracking is not enabled on it.",
            advice: "Add the store with NSPersistentHistoryTrackingKey set to true.")
    }

    /// The first transaction that was not purged; one beyond the last if all were.
    func firstKeptTransaction(_ connection: SQLiteConnection) throws -> Int64 {
        let highest = HistoryTables.highest(HistoryTables.transactionEntity)
        return try connection.integer("SELECT IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION), (\(highest)) + 1)")
    }
}
