import CoreData
import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool copy`
struct CopyCommand: Command {
    static let name = "copy"
    static let summary = "copies a store into a new one, possibly of another type"
    static let usage = "STORE NEW"
    static let details = """
        Copies all objects, with their relationships, and the metadata; SQLite stores with their external values. The type
        of NEW is that of its extension (.sqlite, .xml, .binary), or --type. NEW must not exist. Objects get new primary
        keys. A copy that is interrupted leaves nothing. Stores that are no SQLite files keep no model: --model names it.

        With postgresql:// the source or NEW is the store of a database, if the tool was built with the trait
        PostgreSQL. Between SQLite and PostgreSQL, objects keep their URIs: the copy has the UUID and the primary keys of
        the source. Both are read again and compared, by counts and checksums. A copy that was interrupted or killed is
        unfinished, cannot be opened, and is continued by the same command. Values that the other database cannot hold are
        reported before anything is written. Persistent history is not copied.
        """
    static let options = [
        CommandOption("type", "TYPE", "the type of NEW: sqlite, xml or binary"),
        CommandOption("from-type", "TYPE", "the type of STORE, if its file does not tell"),
        CommandOption(
            "lossy", nil, "write the nearest value, or none, for values that the other database cannot hold"),
        CommandOption("restart", nil, "remove an unfinished copy, and begin again"),
        .model, .json,
    ]
    static let examples = [
        CommandExample("copy Library.sqlite Library.xml", "A text file, to look at or to compare."),
        CommandExample("copy Library.xml Library.sqlite --model Library.momd", "And back."),
        CommandExample(
            "copy Library.sqlite postgresql://user@host/library", "To a database whose schema has no store yet."),
    ]

    private let source: String
    private let destination: String
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        let words = try arguments.positional("STORE", "NEW")
        (source, destination) = (words[0], words[1])
        self.arguments = arguments
        for option in ["type", "from-type"] {
            guard let type = arguments[option], StoreFile.types[type.lowercased()] == nil else { continue }
            throw UsageError("“\(type)” is no type of stores: sqlite, xml or binary")
        }
    }

    func run(_ console: Console) throws -> Int32 {
        let from = try StoreFile(source, type: arguments["from-type"], exists: true)
        let to = try StoreFile(destination, type: arguments["type"], exists: false)
        if let copying = DatabaseCopying(from, to, arguments) {
            try from.requireExistence()
            if to.url.isFileURL { try requireVacancy(to.url) }
            return try copying.run(console)
        }
        for option in ["lossy", "restart"] where arguments.has(option) {
            throw UsageError("--\(option) is for copies between SQLite and PostgreSQL")
        }
        try from.requireExistence()
        try requireVacancy(to.url)
        let temporary = from.type == NSSQLiteStoreType ? try TemporaryCopy(from.url, StoreCondition.of(from.url)) : nil
        defer { withExtendedLifetime(temporary) {} }
        let copying = StoreCopying(
            source: from, destination: to, opened: temporary?.url ?? from.url, model: try from.model(arguments),
            console: console)
        let counts = try copying.run()
        let total = counts.reduce(0) { $0 + $1.1 }
        if arguments.has("json") {
            let entities = counts.map { ($0.0, JSON.number($0.1)) }
            try console.line(
                JSON.object([
                    ("store", .string(from.name)), ("to", .string(to.name)), ("type", .string(to.type)),
                    ("objects", .number(total)), ("entities", .object(entities)),
                ]).text)
        } else {
            let place = CellText.escaped(to.nameAsTyped(destination))
            try console.line("Copied \(Quantity.of(total, "object")) to \(place) (\(to.type)).")
        }
        return 0
    }

    /// Checks that there is no file at a place, and none that SQLite would take for a part of a store there.
    private func requireVacancy(_ url: URL) throws {
        guard url.isFileURL else { return }
        let support = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        let beside = ["", "-wal", "-shm", "-journal"].map { url.lastPathComponent + $0 } + [support]
        let folder = url.deletingLastPathComponent()
        let found = beside.first { name in
            let path = folder.appendingPathComponent(name).path
            // Also a symbolic link that leads nowhere.
            return (try? FileManager.default.attributesOfItem(atPath: path)) != nil
        }
        guard let found else { return }
        let place = found == url.lastPathComponent ? destination : folder.appendingPathComponent(found).path
        throw StoreToolError(
            .destination, "There is a file at \(place) already.",
            advice: "Name one that does not exist, or move that one away.", url: url)
    }
}
