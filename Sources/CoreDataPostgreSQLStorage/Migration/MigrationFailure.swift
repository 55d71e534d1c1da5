#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The errors of the server in a migration, in the form of Core Data's.
struct MigrationFailure {
    let migration: PostgreSQLMigration
    let models: LayoutCorrespondence
    let tables: PostgreSQLTables
    let identifier: String
    let url: URL
    let place: String

    // MARK: Uniqueness

    /// Returns the error for objects with equal values, which are asked for.
    ///
    /// - Parameter connection: The connection, in the transaction before the constraint was created.
    func violation(
        of name: String, _ error: PostgreSQLError, on connection: PostgreSQLConnection
    ) throws -> NSError? {
        guard let constraint = migration.constraints.first(where: { $0.name == name }) else { return nil }
        let columns = try tables.columns(of: constraint.entity)
        let names = constraint.columns.flatMap { $0 }.map(PostgreSQLName.quoted)
        let presence = constraint.columns.map { parts in
            "(" + parts.map { "\(PostgreSQLName.quoted($0)) IS NOT NULL" }.joined(separator: " OR ") + ")"
        }
        let entity = columns.sharesTable ? "entity" : "\(PostgreSQLName.literal(constraint.entity.name))::text"
        let sql =
            "SELECT array_to_string(array_agg(id ORDER BY id), ','), array_to_string(array_agg(\(entity) ORDER BY id), '/'), "
            + names.map { "\($0)::text" }.joined(separator: ", ") + " FROM \(PostgreSQLName.quoted(columns.table)) "
            + "WHERE \(presence.joined(separator: " AND ")) GROUP BY \(names.joined(separator: ", ")) "
            + "HAVING count(*) > 1 ORDER BY min(id) LIMIT 20"
        var examples: [String] = []
        var objects: [URL] = []
        let request = PipelineRequest(ServerStatement(sql, isPrepared: false)) { rows in
            for row in 0..<rows.count {
                let keys = rows.text(row, 0).split(separator: ",")
                let entities = rows.text(row, 1).split(separator: "/").map { formerName(String($0)) }
                let values = names.indices.map { rows.isNull(row, $0 + 2) ? "NULL" : rows.text(row, $0 + 2) }
                examples.append(
                    "\(values.joined(separator: ", ")) in \(keys.map { "p\($0)" }.joined(separator: ", "))")
                objects += zip(entities, keys).compactMap { URL(string: "x-coredata://\(identifier)/\($0)/p\($1)") }
            }
        }
        try connection.run([request])
        let name = constraint.entity.name
        return CoreDataError.make(
            NSMigrationConstraintViolationError,
            description:
                "The store at \(url.nameInMessages) could not be migrated: objects break a uniqueness constraint that "
                + "is new.",
            reason:
                "\(name) requires different values of \(constraint.properties.joined(separator: ", ")), but objects "
                + "share " + examples.joined(separator: "; ") + ".",
            advice: "Merge or delete these objects with the old version of the model first, or use a mapping model.",
            entity: name, key: constraint.properties.first, underlying: error,
            userInfo: [
                NSAffectedObjectsErrorKey: objects, "constraint": constraint.properties, NSURLErrorKey: url,
                ServerFailure.stateKey: error.state,
            ])
    }

    private func formerName(_ entity: String) -> String {
        models.destination.byName[entity].flatMap(models.origin)?.name ?? entity
    }

    // MARK: Other errors

    /// Returns the error for one of the server's.
    ///
    /// - Parameter statement: The statement that failed, if it is known.
    func failure(_ error: PostgreSQLError, in statement: PostgreSQLMigration.Statement?) -> NSError {
        let subject = subject(of: error)
        return Self.error(
            error, of: url, place: place, step: statement.map { " At: \($0.description)" } ?? "",
            entity: subject?.entity, key: subject?.key)
    }

    /// Returns the error for one of the server's in the migration of a store.
    static func error(
        _ error: PostgreSQLError, of url: URL, place: String, step: String = "", entity: String? = nil,
        key: String? = nil
    ) -> NSError {
        guard let words = words(error) else { return ServerFailure.error(error, place: place) }
        let url = StagedReplacement.withoutMark(url).withoutPasswords
        return CoreDataError.make(
            NSMigrationError,
            description: "The store at \(url.nameInMessages) could not be migrated: \(words.description).",
            reason: "\(error)\(step)", advice: words.advice, entity: entity, key: key, underlying: error,
            userInfo: [NSURLErrorKey: url, ServerFailure.stateKey: error.state])
    }

    private static func words(_ error: PostgreSQLError) -> (description: String, advice: String)? {
        switch error.state {
        case "42501":
            (
                "the user may not change its tables",
                "Migrate it as the role that owns the tables, with the same program, then grant this user what it needs."
            )
        case "2BP01", "0A000":
            (
                "something that was made by hand depends on its tables",
                "Drop the view, function or constraint that the reason names, migrate, and create it again."
            )
        case "42P07", "42710", "42701":
            (
                "a name that the new version needs is taken by something made by hand",
                "Rename or drop what the reason names, or set another name in the model by postgresql.name."
            )
        case "42704", "42P01", "42703":
            (
                "a part of its tables is missing",
                "Undo what was changed by hand: `modelc ddl MODEL --dialect postgresql` prints the tables of the model."
            )
        case "23502":
            ("a required attribute has no value", "Set the values with the old version of the model.")
        case "23503", "23505", "23514":
            (
                "rows break a constraint",
                "Correct the rows that the reason names, or drop the constraint if it was made by hand."
            )
        default: nil
        }
    }

    /// Returns the property of the column that an error names.
    private func subject(of error: PostgreSQLError) -> (entity: String, key: String?)? {
        guard let table = error.table else { return nil }
        for layout in tables.layouts.all {
            guard let columns = try? tables.columns(of: layout), PostgreSQLName.unqualified(columns.table) == table
            else { continue }
            for (cell, place) in zip(layout.ownCells, columns.own) where place.column == error.column {
                return (layout.name, cell.path)
            }
        }
        return nil
    }
}
#endif
