import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool info`
struct InfoCommand: Command {
    static let name = "info"
    static let summary = "shows what is in a store: model, entities, sizes, history"
    static let usage = "STORE"
    static let details = """
        Sizes are those of the pages of tables and indexes. Numbers of rows of large tables are estimates, marked ≈, so that
        a store of a gigabyte takes less than a second. History is that of the last 14 days with changes, in UTC.
        """
    static let options = [CommandOption.json, .model]
    static let examples = [
        CommandExample("info Library.sqlite", "What is in the store, and what is unusual about it."),
        CommandExample("info Library.sqlite --json", "The same for programs."),
    ]

    private let store: URL
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        store = URL(fileURLWithPath: try arguments.positional("STORE")[0])
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        let info = try InfoReader.read(store, model: arguments.model(), console)
        if arguments.has("json") {
            try console.line(info.json(store).text)
        } else {
            try InfoText(info, console).write(store)
        }
        return 0
    }
}
