import CoreDataRowStorage

/// Tells which statements go through a whole table, and how large that is.
struct ScanDetector {
    /// By the text of the statement: how many rows it goes through.
    private var rows: [String: Int] = [:]
    /// The one asked about last.
    private var latest: (sql: String, rows: Int)?

    private static let mostStatements = 1000

    /// Asks for the plan of a statement, when it is met first.
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

    /// How many rows a fetch went through; nil if it has an index, or nothing is known.
    func rows(of record: EventRecord) -> Int? {
        guard let sql = record.question?.sql else { return nil }
        let count = if let latest, latest.sql == sql { latest.rows } else { rows[sql] ?? 0 }
        return count > 0 ? count : nil
    }
}
