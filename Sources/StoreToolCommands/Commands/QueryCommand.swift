import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool query`
struct QueryCommand: Command {
    static let name = "query"
    static let summary = "finds objects by entity and predicate"
    static let usage = "STORE \"ENTITY [where PREDICATE] [sort KEYS] [limit N] [offset N] [show KEYS]\""
    static let details = """
        The predicate has the format of NSPredicate. Sort keys are separated by commas; -key sorts in descending order.
        Shown are attributes and to-one relationships, or the given key paths: attributes, “objectID”, those of related
        objects (team.name), numbers of objects (messages.@count), and elements of composite attributes (place.street).

        The clauses may also be given as options, and in any order. Parentheses or quotes keep a word of the predicate from
        beginning a clause. A table that is too wide for the terminal has a block of lines for each row. Output streams:
        “| head” ends it.
        """
    static let options =
        [
            CommandOption("where", "PREDICATE", "the predicate"),
            CommandOption("sort", "KEYS", "the sort keys, such as -lastUpdate,name"),
            CommandOption("limit", "N", "the highest number of rows"),
            CommandOption("offset", "N", "the number of rows to skip"),
            CommandOption("show", "KEYS", "the columns"),
            CommandOption("exact-entity", nil, "leaves out objects of subentities"),
            CommandOption("count", nil, "the number of objects only"),
            CommandOption("sql", nil, "the SQL, instead of the rows"),
        ] + RowFormat.options + [.model]
    static let examples = [
        CommandExample("query Library.sqlite Book", "All books."),
        CommandExample(
            "query Chat.sqlite \"Person where age > 30 sort -lastUpdate limit 20 show name, team.name, messages.@count\"",
            "The twenty persons over thirty that changed last."),
        CommandExample(
            "query Chat.sqlite Person --where \"name BEGINSWITH 'A'\" --sort name --format csv > persons.csv",
            "A table for a spreadsheet."),
        CommandExample("query Chat.sqlite \"Message where sender.name == 'Anna'\" --sql", "The statement of a fetch."),
    ]

    private let store: URL
    private let query: QueryText
    private let format: RowFormat?
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        guard let path = arguments.positional.first else { throw UsageError("STORE is missing") }
        guard arguments.positional.count > 1 else { throw UsageError("the query is missing: the name of an entity") }
        store = URL(fileURLWithPath: path)
        format = try RowFormat.requested(arguments)
        var query = try QueryText(arguments.positional.dropFirst().joined(separator: " "))
        let given: [(name: String, isThere: Bool)] = [
            ("where", query.predicate != nil), ("sort", !query.sortKeys.isEmpty), ("limit", query.limit != nil),
            ("offset", query.offset != nil), ("show", query.columns != nil),
        ]
        if let twice = given.first(where: { $0.isThere && arguments[$0.name] != nil }) {
            throw UsageError("“\(twice.name)” is in the query and in an option")
        }
        query.predicate = arguments["where"] ?? query.predicate
        query.limit = try arguments.number("limit") ?? query.limit
        query.offset = try arguments.number("offset") ?? query.offset
        if let text = arguments["sort"] { query.sortKeys = try QueryText.sortKeys(text) }
        if let text = arguments["show"] { query.columns = try QueryText.columns(text) }
        self.query = query
    }

    func run(_ console: Console) throws -> Int32 {
        do {
            return try answer(console)
        } catch let error as StoreToolError where error.code == .invalidQuery {
            throw QueryTextError(error, in: query.predicate) ?? error
        }
    }

    private func answer(_ console: Console) throws -> Int32 {
        let opened = try OpenStore(store, model: arguments.model())
        var request = opened.query(entity: query.entity)
        request.predicate = query.predicate
        request.sortKeys = query.sortKeys.map { .init($0.key, ascending: $0.ascending) }
        request.limit = query.limit
        request.offset = query.offset ?? 0
        request.columns = query.columns
        request.includesSubentities = !arguments.has("exact-entity")
        if arguments.has("sql") {
            let sql = try request.sql()
            try console.line(arguments.has("json") ? JSON.object([("sql", .string(sql))]).text : sql)
            return 0
        }
        if arguments.has("count") {
            let count = try request.count()
            try console.line(arguments.has("json") ? JSON.object([("count", .number(count))]).text : "\(count)")
            return 0
        }
        let writer = RowWriter(console, format, isWide: arguments.has("wide"), addsIdentifier: query.columns == nil)
        try request.forEachCurrent { row in
            try writer.add(row)
            return true
        }
        try writer.end(query.columns ?? EntityFacts(query.entity, in: opened.model).columns)
        return 0
    }
}
