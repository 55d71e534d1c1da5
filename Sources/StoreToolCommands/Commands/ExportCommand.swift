import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool export`
struct ExportCommand: Command {
    static let name = "export"
    static let summary = "writes objects as JSON that an import reads back, or as CSV"
    static let usage = "STORE [ENTITY …]"
    static let details = """
        Each line is an object with its attributes and its relationships, under the keys and in the formats from which an
        import of MagicalRecord reads them. Related objects come with their attributes where they first occur, then by their
        import key, or by a number if they have none, once in each file; those of subentities only in lines of their own. One
        entity goes to the standard output; several, or all without names, become files ENTITY.ndjson in the folder of --to.
        Exit status 1: values could not be written, such as transformable ones; the standard error says which.
        """
    static let options = [
        CommandOption("to", "FOLDER", "writes a file for each entity"),
        CommandOption("csv", nil, "writes attributes and to-one relationships as CSV"), .json, .model,
    ]
    static let examples = [
        CommandExample("export Chat.sqlite Person > Person.ndjson", "Persons, with what they relate to."),
        CommandExample("export Chat.sqlite --to Exported", "All entities, each as a file."),
        CommandExample("export Chat.sqlite Person Team --csv --to Tables", "Tables for a spreadsheet."),
    ]

    private let store: URL
    private let entities: [String]
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard let path = arguments.positional.first else { throw UsageError("STORE is missing") }
        store = URL(fileURLWithPath: path)
        entities = Array(arguments.positional.dropFirst())
        self.arguments = arguments
    }

    private struct Result {
        var entity: String
        var count: Int
        var file: String?
    }

    func run(_ console: Console) throws -> Int32 {
        let opened = try OpenStore(store, model: arguments.model())
        for name in entities { _ = try EntityFacts(name, in: opened.model) }
        let concrete = opened.model.entities.filter { !$0.isAbstract }.map(\.name)
        let names = entities.isEmpty ? concrete.filter(opened.entities.contains).sorted() : entities
        var losses: [String: Int] = [:]
        guard let folder = arguments["to"] else {
            guard names.count == 1 else {
                throw UsageError("the entities \(names.joined(separator: ", ")) need --to FOLDER, or name one")
            }
            _ = try export(names[0], of: names, opened, console, console.output, &losses)
            return try report(losses, console)
        }
        let results = try files(names, opened, URL(fileURLWithPath: folder), console, &losses)
        if arguments.has("json") {
            let list = results.map { result in
                JSON.object([
                    ("entity", .string(result.entity)), ("objects", .number(result.count)),
                    ("file", .optional(result.file)),
                ])
            }
            let lost = losses.sorted { $0.key < $1.key }.map { JSON.string("\($0.key): \($0.value)") }
            try console.line(JSON.object([("files", .array(list)), ("losses", .array(lost))]).text)
        } else {
            let table = TextTable(["entity", "objects", "file"], console)
            for result in results {
                let count = TableCell(Quantity.count(Int64(result.count)), isNumber: true)
                let file = result.file.map { URL(fileURLWithPath: $0).lastPathComponent }
                try table.add([TableCell(result.entity), count, TableCell(file ?? "")])
            }
            try table.end()
        }
        return try report(losses, console)
    }

    /// Writes a file for each entity; removes them if the export does not end.
    private func files(
        _ names: [String], _ opened: OpenStore, _ folder: URL, _ console: Console, _ losses: inout [String: Int]
    ) throws -> [Result] {
        let files = names.map { folder.appendingPathComponent("\($0).\(arguments.has("csv") ? "csv" : "ndjson")") }
        if let file = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
            throw StoreToolError(
                .destination, "There is a file at \(file.path) already.", advice: "Name another folder.", url: file)
        }
        let isNew = !FileManager.default.fileExists(atPath: folder.path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var made: [URL] = []
        do {
            return try zip(names, files).map { name, file in
                let descriptor = Foundation.open(file.path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
                guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                defer { close(descriptor) }
                made.append(file)
                let count = try export(name, of: names, opened, console, FileSink(descriptor), &losses)
                return Result(entity: name, count: count, file: file.path)
            }
        } catch {
            for file in made { try? FileManager.default.removeItem(at: file) }
            if isNew { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    /// Writes the objects of an entity and returns their number.
    private func export(
        _ entity: String, of exported: [String], _ opened: OpenStore, _ console: Console, _ sink: any OutputSink,
        _ losses: inout [String: Int]
    ) throws -> Int {
        if arguments.has("csv") {
            let facts = try EntityFacts(entity, in: opened.model)
            let target = Console(output: sink, errors: console.errors, isInterrupted: console.isInterrupted)
            let writer = RowWriter(target, .csv, isWide: true, addsIdentifier: true)
            var query = opened.query(entity: entity)
            query.includesSubentities = false
            query.columns = facts.columns
            try query.forEachCurrent { row in
                try writer.add(row)
                return true
            }
            try writer.end(query.columns ?? [])
            try sink.flush()
            return writer.count
        }
        let writer = try ExportWriter(opened, entity: entity, of: exported, check: console.checkInterruption) {
            try sink.write($0)
        }
        try writer.write()
        try sink.flush()
        // Nested objects occur in the files of several entities.
        losses.merge(writer.losses, uniquingKeysWith: max)
        return writer.count
    }

    private func report(_ losses: [String: Int], _ console: Console) throws -> Int32 {
        guard !losses.isEmpty else { return 0 }
        try console.output.flush()
        for (what, count) in losses.sorted(by: { $0.key < $1.key }) {
            let values = Quantity.of(count, "value")
            try console.errors.write("storetool: Not written: \(CellText.escaped(what)), \(values).\n")
        }
        return 1
    }
}
