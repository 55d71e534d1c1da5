import CoreDataRowStorage
import CCoreDataSQLite

extension SQLiteStatement: ReportedStatement {
    package var boundValues: [String] { BoundValues(of: self).all }
    package var queryPlan: [String] { QueryPlan(of: self).lines }

    package var scannedRows: Int {
        // A request's table is always aliased t0.
        guard QueryPlan(of: self).lines.contains(where: { $0.hasPrefix("SCAN t0") && !$0.contains("INDEX") }),
            let start = sql.range(of: "FROM "),
            let end = sql[start.upperBound...].range(of: " t0")
        else { return 0 }
        return connection.greatestKey(of: String(sql[start.upperBound..<end.lowerBound]))
    }

    /// Reports the start of the statement to instruments. For callers that step through its rows themselves.
    @inline(__always)
    func reportBeginning() {
        if Probe.isOn { report() }
    }

    /// Reports the start of the statement, unless it is an `EXPLAIN`: SQLite's own trace does not report that either.
    @inline(never)
    func report() {
        if !sql.hasPrefix("EXPLAIN ") { Probe.begins(self) }
    }
}

extension SQLiteConnection {
    /// Returns the greatest primary key of a table, read from the end of its b-tree; 0 if it cannot be read. Not reported.
    fileprivate func greatestKey(of table: String) -> Int {
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v2(handle, "SELECT max(Z_PK) FROM \(table)", -1, &pointer, nil) == SQLITE_OK, let pointer
        else { return 0 }
        defer { _ = sqlite3_finalize(pointer) }
        return sqlite3_step(pointer) == SQLITE_ROW ? Int(sqlite3_column_int64(pointer, 0)) : 0
    }
}
