/// A statement that is about to run, for listeners.
package protocol ReportedStatement {
    /// The text with placeholders for values.
    var sql: String { get }
    /// The values bound to the placeholders, in the order of their numbers, as text: numbers, `"text"`, `nil`.
    var boundValues: [String] { get }
    /// The store's plan for the statement, one line per step; empty for statements without a plan. Queries the store.
    var queryPlan: [String] { get }
    /// The approximate number of rows that the statement scans; 0 if it uses an index for its main table. Queries the store.
    var scannedRows: Int { get }
}
