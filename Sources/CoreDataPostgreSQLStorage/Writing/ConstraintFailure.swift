#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The errors of constraints that were added to the tables by hand: NOT NULL and CHECK.
struct ConstraintFailure {
    private let engine: PostgreSQLEngine
    private let error: PostgreSQLError
    /// The entities of the rows that were written.
    private let layouts: [EntityLayout]

    /// Returns nil for other errors.
    init?(_ error: PostgreSQLError, _ engine: PostgreSQLEngine, writing layouts: [EntityLayout]) {
        guard ["23502", "23514"].contains(error.state) else { return nil }
        self.engine = engine
        self.error = error
        self.layouts = layouts
    }

    /// Returns the error with entity and key.
    ///
    /// - Parameter connection: A connection outside of failed transactions; the columns of a CHECK constraint are asked for.
    func failure(on connection: PostgreSQLConnection) -> NSError {
        let columns = error.column.map { [$0] } ?? checked(on: connection)
        let (layout, key) = subject(columns)
        let subject = layout.map { layout in key.map { "\(layout.name).\($0)" } ?? layout.name } ?? "A row"
        let isNull = error.state == "23502"
        let constraint = error.constraint.map { "the constraint \($0)" } ?? "a constraint"
        let rule = isNull ? "must not be NULL" : "violates \(constraint)"
        return CoreDataError.make(
            isNull ? NSValidationMissingMandatoryPropertyError : NSManagedObjectValidationError,
            description: "\(subject) \(rule) in the table \(error.table ?? "").", reason: error.description,
            advice: "Give the attribute a value that the table accepts, or drop the constraint. Rules of the model are "
                + "checked before anything is sent.", entity: layout?.name, key: key, underlying: error,
            userInfo: [ServerFailure.stateKey: error.state])
    }

    /// Returns the entity that was written to the table, and the property of the only column.
    private func subject(_ columns: [String]) -> (EntityLayout?, String?) {
        let written = layouts.filter { layout in
            guard let place = try? engine.tables.columns(of: layout), let table = error.table else { return false }
            return PostgreSQLName.unqualified(place.table) == table
        }
        guard columns.count == 1 else { return (written.first, nil) }
        for layout in written {
            guard let place = try? engine.tables.columns(of: layout) else { continue }
            for (cell, column) in zip(layout.cells, place.cells) where column.column == columns[0] {
                return (layout, cell.path)
            }
        }
        return (written.first, nil)
    }

    private static let statement = ServerStatement(
        """
        SELECT a.attname::text FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) \
        WHERE c.conname = $1::text AND c.conrelid = to_regclass($2::text)
        """, isPrepared: false)

    private func checked(on connection: PostgreSQLConnection) -> [String] {
        guard let constraint = error.constraint, let table = error.table, !connection.isInFailedTransaction else {
            return []
        }
        var parameters = ParameterList()
        parameters.add(constraint)
        parameters.add(PostgreSQLName.quoted(PostgreSQLName.qualified(table, schema: error.schema)))
        var columns: [String] = []
        let request = PipelineRequest(Self.statement, parameters) { rows in
            columns = (0..<rows.count).map { rows.text($0, 0) }
        }
        // Without an answer, the error names the constraint only.
        try? connection.run([request], until: Deadline(after: 5))
        return columns
    }
}
#endif
