/// A statement that is about to run, as listeners see it.
package protocol ReportedStatement {
    /// The text with placeholders for values.
    var sql: String { get }
    /// The values bound to the placeholders, in the order of their numbers, as text: numbers, `"text"`, `nil`.
    var boundValues: [String] { get }
    /// How the store finds the statement's rows, one line a step; empty for statements without a plan. Asks the store.
    var queryPlan: [String] { get }
    /// About how many rows the statement goes through without an index; 0 if it has one for the table it is about. Asks the
    /// store.
    var scannedRows: Int { get }
}
