import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool get`
struct GetCommand: Command {
    static let name = "get"
    static let summary = "shows one object"
    static let usage = "STORE URI"
    static let details = """
        The URI is that of the object's ID, x-coredata://UUID/Person/p12, or its end: Person/p12. Exit status 1: there is no
        such object.
        """
    static let options = [
        CommandOption("wide", nil, "texts are not cut to the terminal's width"), CommandOption.json, .model,
    ]
    static let examples = [
        CommandExample("get Chat.sqlite Person/p12", "All properties of the person with the primary key 12."),
        CommandExample("get Chat.sqlite Person/p12 --json", "The same for programs."),
    ]

    private let store: URL
    private let object: ObjectReference
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        let words = try arguments.positional("STORE", "URI")
        store = URL(fileURLWithPath: words[0])
        object = try ObjectReference(words[1])
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        let opened = try OpenStore(store, model: arguments.model())
        let uri = try object.uri(in: opened)
        guard let found = try opened.object(at: uri, columns: []),
            let row = try opened.object(at: uri, columns: columns(found.entity, opened))
        else {
            if arguments.has("json") { try console.line("null") }
            return try object.reportMissing(console)
        }
        if arguments.has("json") {
            let writer = RowWriter(console, .ndjson, isWide: true, addsIdentifier: true)
            try writer.add(row)
            return 0
        }
        try console.line(console.styled(ValueText.short(row.uri), .bold) + "  " + row.uri.absoluteString)
        let width = row.columns.map { DisplayWidth.of($0) }.max() ?? 0
        for (name, value) in zip(row.columns, row.values) {
            let text = ValueText.cell(value, isExact: true).text
            let isCut = !arguments.has("wide") && console.width != nil
            let shown = isCut ? CellText.cut(text, to: max(8, (console.width ?? 0) - width - 2)) : text
            let padding = String(repeating: " ", count: width - DisplayWidth.of(name))
            try console.line(shown.isEmpty ? name : name + padding + "  " + shown)
        }
        return 0
    }
}

extension GetCommand {
    /// Returns the columns of an object: attributes, to-one relationships, and the numbers of objects of the others.
    private func columns(_ entity: String, _ store: OpenStore) throws -> [String] {
        let facts = try EntityFacts(entity, in: store.model)
        return facts.attributes.map(\.name) + facts.toOnes.map(\.name) + facts.toManys.map { "\($0.name).@count" }
    }
}

/// `storetool follow`
struct FollowCommand: Command {
    static let name = "follow"
    static let summary = "shows the objects that an object relates to"
    static let usage = "STORE URI RELATIONSHIP"
    static let details = """
        The objects of an ordered relationship come in its order. RELATIONSHIP may also be a path over to-one relationships
        to one: team.members. Exit status 1: there is no object with that URI.
        """
    static let options = RowFormat.options + [.model]
    static let examples = [
        CommandExample("follow Chat.sqlite Person/p12 messages", "The messages of a person."),
        CommandExample("follow Chat.sqlite Message/p7 sender --json", "The sender of a message."),
    ]

    private let store: URL
    private let object: ObjectReference
    private let relationship: String
    private let format: RowFormat?
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        let words = try arguments.positional("STORE", "URI", "RELATIONSHIP")
        store = URL(fileURLWithPath: words[0])
        object = try ObjectReference(words[1])
        relationship = words[2]
        format = try RowFormat.requested(arguments)
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        let opened = try OpenStore(store, model: arguments.model())
        let writer = RowWriter(console, format, isWide: arguments.has("wide"), addsIdentifier: true)
        let uri = try object.uri(in: opened)
        guard let found = try opened.object(at: uri, columns: []) else {
            if writer.format == .json { try console.line("null") }
            return try object.reportMissing(console)
        }
        for row in try opened.related(relationship, of: uri) { try writer.add(row) }
        try writer.end(columns(found.entity, opened))
        return 0
    }
    /// Returns the columns of a relationship without objects.
    private func columns(_ entity: String, _ store: OpenStore) throws -> [String] {
        var facts = try EntityFacts(entity, in: store.model)
        for name in relationship.split(separator: ".") {
            guard let next = (facts.toOnes + facts.toManys).first(where: { $0.name == name }) else { return [] }
            facts = try EntityFacts(next.destinationName, in: store.model)
        }
        return facts.columns
    }
}
