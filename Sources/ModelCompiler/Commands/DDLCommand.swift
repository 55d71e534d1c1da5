import CoreDataModelBuilding
import CoreDataModelLayouts
import CoreDataSQLQueries
import Foundation
import ModelFormat

/// `modelc ddl`
enum DDLCommand: ModelCommand {
    static let name = "ddl"
    static let summary = "print the SQL that creates a model's tables in PostgreSQL"
    static let help = """
        usage: modelc ddl MODEL --dialect postgresql [--version NAME] [--json]

        Prints the statements that create the tables of a PostgreSQL store: a table for each entity without parent, join
        tables, foreign keys, uniqueness constraints and indexes, in one transaction. It is for review: a program creates the
        tables when it opens a store that is not there. The text is always the same for the same model.

        The user info of entities, attributes and relationships may set names: postgresql.name is the name of a table or
        column, postgresql.schema the schema of an entity's table, which must exist.

          --dialect NAME   postgresql
          --version NAME   a version of a bundle, instead of the current one
          --json           the statements one by one, with kind and name

        examples:
          modelc ddl AddressBook.xcdatamodeld --dialect postgresql
          modelc ddl App.momd --version "Model 2" --dialect postgresql | psql postgresql:///review

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["dialect", "version"], flags: ["json"])
        let path = try arguments.one("MODEL")
        switch arguments["dialect"] {
        case "postgresql": break
        case "sqlite":
            throw UsageError("--dialect sqlite: the tables of SQLite stores are not printed; use postgresql")
        case let other?: throw UsageError("--dialect \(other): use postgresql")
        case nil: throw UsageError("--dialect is missing; use --dialect postgresql")
        }
        let version = try ModelInput.version(path, named: arguments["version"])
        if let problem = version.model.problems().first { throw version.placed(problem) }
        let file = version.file ?? path
        do {
            let script = try PostgreSQLScript(version.model, name: version.name)
            result.output = arguments.has("json") ? script.json.text + "\n" : script.text
        } catch let error as StoreLayouts.TooManyEntities {
            throw Diagnostic(message: error.message, file: file)
        } catch let error as NSError {
            throw Diagnostic(
                message: error.localizedDescription, file: file,
                entity: error.userInfo["entity"] as? String, advice: error.localizedRecoverySuggestion)
        }
    }
}
