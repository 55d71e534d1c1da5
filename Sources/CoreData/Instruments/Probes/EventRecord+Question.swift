import CoreDataRowStorage

extension EventRecord {
    /// The statement that found the rows of a fetch. What ran before it may have begun a transaction.
    var question: StatementUse? { statements.first { $0.sql.hasPrefix("SELECT") } ?? statements.first }
}
