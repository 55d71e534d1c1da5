import CoreDataRowStorage
import CoreDataSQLQueries

/// Queries for callers that decode the rows themselves.
extension SQLiteEngine {
    /// Runs a query in a session and passes its statement after each step, until `body` returns false.
    ///
    /// - Parameter session: a session of this engine.
    package func stream(
        _ query: DictionaryQuery, in session: any StoreSession, _ body: (SQLiteStatement) throws -> Bool
    ) throws {
        guard let session = session as? SQLiteSession, session.engine === self else { throw StoreErrors.sessionEnded }
        let sql = query.text.statement(in: dialect)
        try session.read { connection in
            let statement = try connection.prepare(sql.text)
            defer { statement.reset() }
            try ConstantBinder(engine: self).bind(sql.bindings, .list(query.constants), to: statement)
            while try statement.step() {
                guard try body(statement) else { return }
            }
        }
    }

    /// Returns the statement that reads the references of a to-many relationship; nil for one without storage.
    package func referenceStatement(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout
    ) throws -> String? { try referenceRead(relationship, of: layout)?.sql.text }

    /// Returns the statement that counts the rows of a fetch.
    package func countStatement(_ fetch: StoreFetch) throws -> String {
        try FetchStatement(fetch, .count, self).text
    }

    /// Returns the model's number of an entity with a number in the file; nil for entities that are not in the model.
    package func modelNumber(ofStored number: Int64) -> Int? { Int(exactly: number).flatMap(numbering.inModel) }
}
