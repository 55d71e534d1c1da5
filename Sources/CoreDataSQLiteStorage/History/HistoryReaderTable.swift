import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The table of the registered readers of history, which is not one of Apple's: it is created with the first reader.
enum HistoryReaderTable {
    static let name = "COREDATAHISTORYREADER"

    static func exists(_ connection: SQLiteConnection) throws -> Bool {
        try connection.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(name)'") > 0
    }

    static func create(_ connection: SQLiteConnection) throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(name) "
                + "(NAME TEXT PRIMARY KEY, TRANSACTIONID INTEGER NOT NULL, ADVANCED REAL NOT NULL)")
    }

    /// Returns the condition, to be added to others, for transactions that every reader has read; empty without readers.
    static func purgeCondition(_ connection: SQLiteConnection) throws -> String {
        guard try exists(connection) else { return "" }
        return " AND Z_PK <= IFNULL((SELECT MIN(TRANSACTIONID) FROM \(name)), Z_PK)"
    }
}

extension SQLiteEngine {
    func historyReaders(in session: SQLiteSession) throws -> [HistoryReader] {
        try requireHistory()
        return try session.read { connection in
            guard try HistoryReaderTable.exists(connection) else { return [] }
            let statement = try connection.prepare(
                "SELECT NAME, TRANSACTIONID, ADVANCED FROM \(HistoryReaderTable.name) ORDER BY NAME")
            var readers: [HistoryReader] = []
            while try statement.step() {
                readers.append(
                    HistoryReader(
                        name: statement.text(0) ?? "", place: HistoryPlace(number: statement.integer(1)),
                        advanced: Date(timeIntervalSinceReferenceDate: statement.double(2))))
            }
            return readers
        }
    }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        try requireHistory()
        let (name, conflict): (String, String)
        var number: Int64?
        switch change {
        case .register(let reader, let place):
            (name, conflict) = (reader, "NOTHING")
            number = try place.transactionNumber()
        case .advance(let reader, let place):
            (name, conflict) = (
                reader, "UPDATE SET TRANSACTIONID = ?2, ADVANCED = ?3 WHERE TRANSACTIONID <= ?2"
            )
            number = try place.transactionNumber()
        case .remove(let reader): (name, conflict) = (reader, "")
        }
        try write { connection in
            if let number {
                try HistoryReaderTable.create(connection)
                let statement = try connection.prepare(
                    "INSERT INTO \(HistoryReaderTable.name) VALUES (?1, ?2, ?3) ON CONFLICT (NAME) DO \(conflict)")
                try statement.bind(name, at: 1)
                try statement.bind(number, at: 2)
                try statement.bind(Date().timeIntervalSinceReferenceDate, at: 3)
                try statement.run()
            } else if try HistoryReaderTable.exists(connection) {
                let statement = try connection.prepare("DELETE FROM \(HistoryReaderTable.name) WHERE NAME = ?1")
                try statement.bind(name, at: 1)
                try statement.run()
            }
        }
    }
}
