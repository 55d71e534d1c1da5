import CoreDataRowStorage

extension EventRecord {
    /// The statement that read the rows of a fetch. A statement before it may have begun a transaction.
    var question: StatementUse? { statements.first { $0.sql.hasPrefix("SELECT") } ?? statements.first }
}
