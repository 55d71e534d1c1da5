import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool rescue`
struct RescueCommand: Command {
    static let name = "rescue"
    static let summary = "writes a new store with what can be read of a damaged one"
    static let usage = "STORE --to NEW"
    static let details = """
        Reads page by page what SQLite cannot read by tables, gives each row its entity and relations back, and mends what
        “check” says it can. The damaged store is only read. NEW must not exist. Exit status 0: nothing was lost; 1: the
        report lists losses; 2: nothing was written.
        """
    static let options = [
        CommandOption("to", "NEW", "the new store's file"),
        CommandOption("deleted", nil, "also restores rows that were deleted, as far as they are still on free pages"),
        CommandOption("orphans-to", "FOLDER", "copies files of external values to which no row refers"),
        CommandOption.model, .json,
    ]
    static let examples = [
        CommandExample("rescue Broken.sqlite --to Rescued.sqlite", "A new store, and a report of what was lost."),
        CommandExample(
            "rescue Broken.sqlite --to Rescued.sqlite --model Library.momd --orphans-to Files",
            "With the model of the application, for a store that has lost its own."),
    ]

    private let store: URL
    private let destination: URL
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        store = URL(fileURLWithPath: try arguments.positional("STORE")[0])
        guard let path = arguments["to"] else { throw UsageError("--to NEW is missing") }
        destination = URL(fileURLWithPath: path)
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        var rescue = StoreRescue(store)
        rescue.model = try arguments.model()
        rescue.restoresDeletedRows = arguments.has("deleted")
        rescue.progress = console.progress
        let report = try rescue.write(to: destination)
        console.progressLine?.clear()
        let copied = try copyOrphans(report.orphanedFiles)
        let hasLosses =
            report.entities.contains { $0.lost > 0 } || report.notes.contains(where: \.isLoss)
            || report.leftovers != nil
        if arguments.has("json") {
            try console.line(json(report, copied, hasLosses).text)
        } else {
            try write(report, copied, console)
        }
        return hasLosses ? 1 : 0
    }

    /// Copies the files into the folder of `--orphans-to`; returns their number, nil without the option.
    private func copyOrphans(_ files: [URL]) throws -> Int? {
        guard let path = arguments["orphans-to"] else { return nil }
        let folder = URL(fileURLWithPath: path)
        if !files.isEmpty { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        for file in files {
            try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(file.lastPathComponent))
        }
        return files.count
    }

    private func json(_ report: RescueReport, _ copied: Int?, _ hasLosses: Bool) -> JSON {
        let entities = report.entities.map { result in
            JSON.object([
                ("entity", .string(result.entity)), ("kept", .number(result.kept)), ("mended", .number(result.mended)),
                ("lost", .number(result.lost)), ("lostKeys", .array(result.lostKeys.map { .number(Int($0)) })),
            ])
        }
        let notes = report.notes.map { note in
            JSON.sparse([
                ("entity", .optional(note.entity)), ("property", .optional(note.property)),
                ("keys", .array(note.keys.map { .number(Int($0)) })), ("count", .number(note.count)),
                ("message", .string(note.message)), ("isLoss", .bool(note.isLoss)),
            ])
        }
        return .object([
            ("store", .string(store.path)), ("to", .string(report.url.path)), ("hasLosses", .bool(hasLosses)),
            ("entities", .array(entities)), ("notes", .array(notes)),
            ("unreadablePages", .array(report.unreadablePages.map { .number($0) })),
            ("orphanedFiles", .array(report.orphanedFiles.map { .string($0.path) })),
            ("copiedFiles", copied.map { .number($0) } ?? .null), ("leftovers", .optional(report.leftovers?.path)),
            ("deletedRows", .number(report.deletedRows)),
        ])
    }

    private func write(_ report: RescueReport, _ copied: Int?, _ console: Console) throws {
        let table = TextTable(["entity", "kept", "mended", "lost", "lost keys"], console)
        for result in report.entities {
            try table.add([
                TableCell(result.entity), Self.number(result.kept), Self.number(result.mended),
                Self.number(result.lost),
                TableCell(CommandText.keys(result.lostKeys, of: result.lost)),
            ])
        }
        try table.end()
        if !report.notes.isEmpty { try console.line() }
        for note in report.notes {
            let place = [note.entity, note.property].compactMap { $0 }.joined(separator: ".")
            let text = (place.isEmpty ? "" : place + ": ") + note.message
            let rows = note.keys.isEmpty ? "" : " (\(CommandText.keys(note.keys, of: note.count)))"
            try console.line(
                console.styled(note.isLoss ? "lost  " : "mended", note.isLoss ? .red : .yellow) + "  "
                    + CellText.escaped(text + rows))
        }
        try console.line()
        if !report.unreadablePages.isEmpty {
            try console.line(Quantity.of(report.unreadablePages.count, "page") + " could not be read.")
        }
        if let leftovers = report.leftovers {
            try console.line("Rows that the new store could not hold are in \(CellText.escaped(leftovers.path)).")
        }
        if !report.orphanedFiles.isEmpty {
            let files = Quantity.of(report.orphanedFiles.count, "file")
            try console.line(
                copied == nil
                    ? "No row refers to \(files) of external values; --orphans-to FOLDER copies them."
                    : "\(files) of external values, to which no row refers, copied.")
        }
        if report.deletedRows > 0, !arguments.has("deleted") {
            let rows = Quantity.of(report.deletedRows, "deleted row")
            try console.line("\(rows) could still be read; --deleted restores them.")
        }
        try console.line("Written: \(CellText.escaped(destination.relativePath))")
    }

    private static func number(_ number: Int) -> TableCell { TableCell(Quantity.count(Int64(number)), isNumber: true) }
}
