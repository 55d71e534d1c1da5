import CoreDataModelBuilding
import CoreDataModelLayouts
import CoreDataSQLQueries
import ModelFormat

/// The statements that create the tables of a model in PostgreSQL, as a script for `psql` with comments.
package struct PostgreSQLScript {
    private let model: String
    private let parts: [PostgreSQLSchema.Part]
    private let shortened: [(name: String, whole: String)]

    /// Creates the script.
    ///
    /// - Parameter name: the name of the model, for the first comment.
    /// - Throws: An error for a model that cannot be stored in PostgreSQL.
    package init(_ model: Model, name: String) throws {
        self.model = name
        // Layouts refer to the entities without retaining them.
        let layouts = try StoreLayouts(model)
        (parts, shortened) = try withExtendedLifetime(layouts) {
            let tables = PostgreSQLTables(layouts.layouts)
            return (try PostgreSQLSchema(tables).parts(), tables.names.shortened)
        }
    }

    package var text: String {
        var lines = [
            comment("Tables of the model \(model) in PostgreSQL, as a store creates them in the first schema of the"),
            comment(
                "user's search path. Keys come in blocks of \(PostgreSQLSchema.keysInBlock): an INSERT without id takes"
            ),
            comment("the first key of a block."), "",
        ]
        if !shortened.isEmpty {
            lines.append(comment("Names of more than 63 bytes, shortened:"))
            lines += shortened.map { comment("  \($0.name) = \($0.whole)") }
            lines.append("")
        }
        lines += ["BEGIN;", ""]
        lines.append(comment("Metadata: the store's UUID, its model, and the names of its tables and sequences"))
        lines += [statement(PostgreSQLSchema.metadata), ""]
        lines.append(comment("Marks of saves, by which their outcome is found out after a lost connection"))
        lines += [statement(PostgreSQLSchema.marks), ""]
        lines += tables
        lines += section("Foreign keys, checked when a transaction commits", .foreignKey)
        lines += section("Uniqueness constraints", .unique)
        lines += section("Indexes", .index)
        lines += section("Functions", .function)
        lines.append("COMMIT;")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The statements in the order of their execution, within one transaction.
    var json: JSON {
        .object([
            ("dialect", .string("postgresql")),
            (
                "statements",
                .array(
                    ([PostgreSQLSchema.metadata, PostgreSQLSchema.marks] + parts).map { part in
                        .object([
                            ("kind", .string("\(part.kind)")), ("name", .string(PostgreSQLName.quoted(part.name))),
                            ("sql", .string(part.sql)),
                        ])
                    })
            ),
        ])
    }

    /// The tables, each after its sequence.
    private var tables: [String] {
        var lines: [String] = []
        var sequence: [String] = []
        for part in parts {
            switch part.kind {
            case .sequence: sequence = [statement(part)]
            case .table:
                if let subject = part.subject { lines.append(comment(subject)) }
                lines += sequence + [statement(part), ""]
                sequence = []
            case .owner: lines.insert(statement(part), at: lines.count - 1)
            case .foreignKey, .unique, .index, .function: break
            }
        }
        return lines
    }

    private func section(_ title: String, _ kind: PostgreSQLSchema.Part.Kind) -> [String] {
        let statements = parts.filter { $0.kind == kind }.map(statement)
        return statements.isEmpty ? [] : [comment(title)] + statements + [""]
    }

    private func statement(_ part: PostgreSQLSchema.Part) -> String { "\(part.sql);" }

    private func comment(_ text: String) -> String { SQLComment.line(text) }
}
