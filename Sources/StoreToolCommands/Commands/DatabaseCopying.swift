import CoreDataModelBuilding
import Foundation
import StoreTools

/// A copy between SQLite and PostgreSQL, row by row.
struct DatabaseCopying {
    private let source: StoreFile
    private let destination: StoreFile
    private let arguments: Arguments

    /// Returns nil for stores of other types.
    init?(_ source: StoreFile, _ destination: StoreFile, _ arguments: Arguments) {
        let known = [source, destination].allSatisfy { $0.isDatabase || $0.isSQLiteFile }
        guard source.isDatabase || destination.isDatabase, known else { return nil }
        (self.source, self.destination, self.arguments) = (source, destination, arguments)
    }

    func run(_ console: Console) throws -> Int32 {
        var copy = StoreCopy(from: source.url, to: destination.url)
        copy.model = try arguments.model()
        copy.isLossy = arguments.has("lossy")
        copy.restarts = arguments.has("restart")
        copy.progress = console.progress
        let report: CopyReport
        do {
            report = try copy.run()
        } catch let error as StoreToolError where error.code == .cancelled {
            console.progressLine?.clear()
            try console.output.flush()
            try console.errors.write("storetool: The copy is unfinished. The same command continues it.\n")
            throw error
        }
        console.progressLine?.clear()
        if arguments.has("json") { try console.line(json(report).text) } else { try write(report, console) }
        return 0
    }

    private func write(_ report: CopyReport, _ console: Console) throws {
        let continued = report.isContinued ? ", continuing an unfinished copy" : ""
        try console.line(
            "Copied \(Quantity.of(report.count, "object")) to \(CellText.escaped(destination.name)) "
                + "(\(destination.type))\(continued). All of them were compared:")
        let table = TextTable(["Entity", "Objects", "Checksum"], console)
        for entity in report.entities {
            try table.add([
                TableCell(entity.name), TableCell(Quantity.count(Int64(entity.count)), isNumber: true),
                TableCell(Self.text(entity.checksum)),
            ])
        }
        try table.end()
        if let date = report.roundedDate {
            let dates = report.roundedDates == 1 ? "date was" : "dates were"
            try console.line("\(report.roundedDates) \(dates) rounded to microseconds, such as \(date).")
        }
        if report.changed.count > 0 {
            let values = report.changed.count == 1 ? "value was" : "values were"
            try console.line(
                "\(report.changed.count) \(values) written otherwise: \(CellText.escaped(report.changed.text)).")
        }
        if !report.recomputed.isEmpty {
            try console.line(
                "Derived attributes were computed again, with other values: "
                    + "\(CellText.escaped(report.recomputed.sorted().joined(separator: ", "))).")
        }
        try console.line("Persistent history was not copied.")
    }

    private static func text(_ checksum: UInt64) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func json(_ report: CopyReport) -> JSON {
        let entities: [(String, JSON)] = report.entities.map { entity in
            (
                entity.name,
                .object([("objects", .number(entity.count)), ("checksum", .string(Self.text(entity.checksum)))])
            )
        }
        return .object([
            ("store", .string(source.name)), ("to", .string(destination.name)), ("type", .string(destination.type)),
            ("objects", .number(report.count)), ("entities", .object(entities)),
            ("roundedDates", .number(report.roundedDates)), ("changedValues", .number(report.changed.count)),
            ("changed", .array(report.changed.first.map { .string($0.text) })),
            ("recomputed", .array(report.recomputed.sorted().map { .string($0) })),
            ("isContinued", .bool(report.isContinued)),
        ])
    }
}
