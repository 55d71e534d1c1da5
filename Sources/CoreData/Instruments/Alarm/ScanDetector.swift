import CoreDataRowStorage

/// Detects statements that scan a whole table, and the table's size.
struct ScanDetector {
    /// The number of scanned rows, by the text of the statement.
    private var rows: [String: Int] = [:]
    /// The statement examined last.
    private var latest: (sql: String, rows: Int)?

    private static let mostStatements = 1000

    /// Reads the query plan of a statement on its first execution.
    mutating func examine(_ statement: any ReportedStatement) {
        let sql = statement.sql
        if let latest, latest.sql == sql { return }
        if let known = rows[sql] {
            latest = (sql, known)
            return
        }
        if rows.count >= Self.mostStatements { rows.removeAll() }
        let count = statement.scannedRows
        rows[sql] = count
        latest = (sql, count)
    }

    /// Returns the number of rows that a fetch scanned; nil if it used an index, or the number is unknown.
    func rows(of record: EventRecord) -> Int? {
        guard let sql = record.question?.sql else { return nil }
        let count = if let latest, latest.sql == sql { latest.rows } else { rows[sql] ?? 0 }
        return count > 0 ? count : nil
    }
}
