import MagicalRecord
import Testing

/// Expects rows in a stack's store, read from the file by SQL, and records an issue if they differ.
///
/// ```swift
/// expect(store: stack, contains: [["Ann", 7], ["Bob", nil]], by: "SELECT ZDISPLAYNAME, ZUSERID FROM ZUSER ORDER BY 1")
/// ```
/// - Parameters:
///   - stack: the stack; without one, the default stack.
///   - rows: all rows, in order.
///   - sql: one query; see ``storeRows(of:_:_:)`` for its names.
///   - sourceLocation: the location of the issue.
public func expect(
    store stack: MagicalRecord.Stack? = nil, contains rows: [[StoreValue]], by sql: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let found: [[StoreValue]]
    do {
        found = try storeRows(of: stack, sql)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return
    }
    guard found != rows else { return }
    Issue.record(
        """
        The store does not contain what was expected, by \(sql)
        expected: \(RowText.lines(rows))
        found:    \(RowText.lines(found))
        """, sourceLocation: sourceLocation)
}

/// Expects one value in a stack's store, as `expect(store:contains:by:)` does, for a query with a single row and column.
///
/// ```swift
/// expect(store: stack, contains: 2, by: "SELECT count(*) FROM ZUSER")
/// ```
public func expect(
    store stack: MagicalRecord.Stack? = nil, contains value: StoreValue, by sql: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expect(store: stack, contains: [[value]], by: sql, sourceLocation: sourceLocation)
}

private enum RowText {
    /// Returns the rows as text, limited to the first 20.
    static func lines(_ rows: [[StoreValue]]) -> String {
        if rows.isEmpty { return "no rows" }
        let shown = rows.prefix(20).map { $0.map(\.description).joined(separator: " | ") }
        let more = rows.count > shown.count ? ["… \(rows.count) rows in all"] : []
        return (shown + more).joined(separator: "\n          ")
    }
}
