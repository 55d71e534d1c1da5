import CoreData
import CoreDataModelBuilding
import Foundation
import MagicalRecord
import StoreTools

/// `storetool copy`
struct CopyCommand: Command {
    static let name = "copy"
    static let summary = "copies a store into a new one, possibly of another type"
    static let usage = "STORE NEW"
    static let details = """
        Copies all objects, with their relationships, and the metadata; SQLite stores with their external values. The type
        of NEW is that of its extension (.sqlite, .xml, .binary), or --type. NEW must not exist. Objects get new primary
        keys. Stores that are no SQLite files keep no model: --model names it.
        """
    static let options = [
        CommandOption("type", "TYPE", "the type of NEW: sqlite, xml or binary"),
        CommandOption("from-type", "TYPE", "the type of STORE, if its file does not tell"),
        .model, .json,
    ]
    static let examples = [
        CommandExample("copy Library.sqlite Library.xml", "A text file, to look at or to compare."),
        CommandExample("copy Library.xml Library.sqlite --model Library.momd", "And back."),
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
        try from.requireExistence()
        if to.url.isFileURL, FileManager.default.fileExists(atPath: to.url.path) {
            throw StoreToolError(
                .destination, "There is a file at \(destination) already.",
                advice: "Name one that does not exist, or move that one away.", url: to.url)
        }
        let temporary = from.type == NSSQLiteStoreType ? try TemporaryCopy(from.url, StoreCondition.of(from.url)) : nil
        defer { withExtendedLifetime(temporary) {} }
        let opened = temporary?.url ?? from.url
        let model = try from.model(arguments, at: opened)
        let constrained = model.entities.filter { !$0.uniquenessConstraints.isEmpty }.compactMap(\.name).sorted()
        if [NSXMLStoreType, NSBinaryStoreType].contains(to.type), !constrained.isEmpty {
            throw StoreToolError(
                .destination,
                "A store of type \(to.type) cannot hold the uniqueness constraints of \(constrained.joined(separator: ", ")).",
                advice: "Copy to an SQLite store, or use “storetool export”.", url: to.url)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: from.type, configurationName: nil, at: opened, options: [NSReadOnlyPersistentStoreOption: true])
        try console.checkInterruption()
        let copy = try coordinator.migratePersistentStore(store, to: to.url, options: nil, withType: to.type)
        try coordinator.remove(copy)
        let counts = try MigrationCensus(url: to.url, type: to.type, model: model, options: [:]).open { context in
            try model.entities.filter { !$0.isAbstract }.compactMap(\.name).sorted().map { name in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                return (name, try context.count(for: request))
            }
        }
        let total = counts.reduce(0) { $0 + $1.1 }
        if arguments.has("json") {
            let entities = counts.map { ($0.0, JSON.number($0.1)) }
            try console.line(
                JSON.object([
                    ("store", .string(from.url.path)), ("to", .string(to.url.path)), ("type", .string(to.type)),
                    ("objects", .number(total)), ("entities", .object(entities)),
                ]).text)
        } else {
            try console.line("Copied \(Quantity.of(total, "object")) to \(CellText.escaped(destination)) (\(to.type)).")
        }
        return 0
    }
}
