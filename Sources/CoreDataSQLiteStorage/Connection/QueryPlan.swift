import CCoreDataSQLite

/// SQLite's plan for a statement.
struct QueryPlan {
    /// The steps, one per line and indented by depth, in SQLite's words: `SEARCH t0 USING INDEX …`.
    private(set) var lines: [String] = []

    /// Reads the plan of a statement. It has no lines if the statement has no plan, as `COMMIT`, or if SQLite reports an
    /// error.
    init(of statement: SQLiteStatement) {
        var pointer: OpaquePointer?
        let sql = "EXPLAIN QUERY PLAN " + statement.sql
        guard sqlite3_prepare_v2(statement.connection.handle, sql, -1, &pointer, nil) == SQLITE_OK, let pointer else {
            return
        }
        defer { _ = sqlite3_finalize(pointer) }
        var depths: [Int64: Int] = [:]
        while sqlite3_step(pointer) == SQLITE_ROW {
            let depth = depths[sqlite3_column_int64(pointer, 1)].map { $0 + 1 } ?? 0
            depths[sqlite3_column_int64(pointer, 0)] = depth
            guard let text = sqlite3_column_text(pointer, 3) else { continue }
            lines.append(String(repeating: "  ", count: depth) + String(cString: text))
        }
    }
}
