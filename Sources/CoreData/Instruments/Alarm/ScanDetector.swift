/// Tells which statements go through a whole table, and how large that is.
struct ScanDetector {
    /// By the text of the statement: how many rows it goes through.
    private var rows: [String: Int] = [:]

    private static let mostStatements = 1000

    /// Asks for the plan of a statement, when it is met first.
    mutating func examine(_ statement: any ReportedStatement) {
        guard rows[statement.sql] == nil else { return }
        if rows.count >= Self.mostStatements { rows.removeAll() }
        rows[statement.sql] = statement.scannedRows
    }

    /// How many rows a fetch went through; nil if it has an index, or nothing is known.
    func rows(of record: EventRecord) -> Int? {
        guard let sql = record.statements.first?.sql, let count = rows[sql], count > 0 else { return nil }
        return count
    }
}
