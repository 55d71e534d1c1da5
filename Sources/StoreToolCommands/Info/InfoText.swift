import CoreDataModelBuilding
import Foundation
import StoreTools

/// Writes the information about a store for people.
struct InfoText {
    private let info: StoreInfo
    private let console: Console

    init(_ info: StoreInfo, _ console: Console) { (self.info, self.console) = (info, console) }

    func write(_ url: URL) throws {
        try console.line(console.styled(CellText.escaped(url.lastPathComponent), .bold))
        for (name, text) in facts {
            try console.line("  " + name.padding(toLength: 11, withPad: " ", startingAt: 0) + text)
        }
        try writeEntities()
        try writeIndexes()
        try writeHistory()
        guard !info.remarks.isEmpty else { return }
        try title("unusual")
        for remark in info.remarks { try console.line("  " + console.styled(CellText.escaped(remark), .yellow)) }
    }

    private func title(_ text: String) throws { try console.line("\n" + console.styled(text, .bold)) }

    private var facts: [(String, String)] {
        let description = info.description
        let version = description.frameworkVersion.map { "framework \($0)" } ?? "framework unknown"
        var facts = [("format", "SQLite, \(version)")]
        let journal = info.header.map { $0.usesLog ? ", WAL" : ", rollback journal" } ?? ""
        facts.append(
            (
                "file",
                "\(Quantity.bytes(info.fileBytes)), \(Quantity.of(info.pageCount, "page")) of "
                    + "\(Quantity.count(Int64(info.pageSize))) bytes, \(Quantity.count(Int64(info.freePages))) free\(journal)"
            ))
        if let log = logText { facts.append(("log", log)) }
        facts.append(("UUID", CellText.escaped(description.uuid ?? "none")))
        let identifiers = (description.model?.versionIdentifiers ?? []).filter { !$0.isEmpty }
        let model =
            description.model.map { model in
                (identifiers.isEmpty ? "" : "version \(identifiers.joined(separator: ", ")), ")
                    + Quantity.of(model.entities.count, "entity", "entities")
            } ?? "none in the file"
        facts.append(("model", CellText.escaped(model)))
        if let checksum = info.checksum { facts.append(("checksum", checksum)) }
        if info.externalFiles > 0 {
            facts.append(
                (
                    "files",
                    "\(Quantity.of(info.externalFiles, "external value")), \(Quantity.bytes(info.externalBytes))"
                ))
        }
        return facts
    }

    private var logText: String? {
        guard info.logBytes > 0 else { return nil }
        let size = Quantity.bytes(info.logBytes)
        return switch info.log {
        case nil: size
        case .some(.none): nil
        case .empty: "\(size), nothing in it that is not in the file"
        case .applied(let frames): "\(size), \(Quantity.of(frames, "page")) newer than the file"
        case .foreign: "\(size), of another store: not read"
        case .torn(let frames): "\(size), torn after \(Quantity.of(frames, "page"))"
        case .unreadable: "\(size), unreadable"
        }
    }

    private func writeEntities() throws {
        guard !info.entities.isEmpty else { return }
        try title("entities")
        let table = TextTable(["entity", "rows", "bytes", "table"], console, indent: "  ")
        for entity in info.entities + info.joins {
            let rows = entity.isAbstract && entity.rows == 0 ? "" : Self.count(entity.rows, entity.isEstimate)
            try table.add([
                TableCell(String(repeating: "  ", count: entity.depth) + entity.name), TableCell(rows, isNumber: true),
                TableCell(entity.bytes.map(Quantity.bytes) ?? "", isNumber: true), TableCell(entity.table),
            ])
        }
        try table.end()
    }

    private static func count(_ rows: Int?, _ isEstimate: Bool) -> String {
        rows.map { (isEstimate ? "≈ " : "") + Quantity.count(Int64($0)) } ?? ""
    }

    private func writeIndexes() throws {
        guard !info.indexes.isEmpty else { return }
        try title("indexes")
        let table = TextTable(["index", "bytes", "table"], console, indent: "  ")
        for index in info.indexes {
            let bytes = TableCell(index.bytes.map(Quantity.bytes) ?? "", isNumber: true)
            try table.add([TableCell(index.name), bytes, TableCell(index.table)])
        }
        try table.end()
    }

    private func writeHistory() throws {
        guard let history = info.history else { return }
        try title("history")
        guard let first = history.first, let last = history.last else {
            return try console.line("  no transactions")
        }
        let span = "\(ValueText.text(first, wholeSeconds: true)) to \(ValueText.text(last, wholeSeconds: true))"
        try console.line("  \(Quantity.of(history.transactions, "transaction")), \(span)")
        let table = TextTable(["day", "author", "transactions", "changes"], console, indent: "  ")
        for day in history.days {
            try table.add([
                TableCell(day.day), TableCell(day.author.isEmpty ? "no author" : day.author),
                TableCell(Quantity.count(Int64(day.transactions)), isNumber: true),
                TableCell(Quantity.count(Int64(day.changes)), isNumber: true),
            ])
        }
        try table.end()
    }
}

extension StoreInfo {
    func json(_ url: URL) -> JSON {
        let entities = entities.map { entity in
            JSON.object([
                ("entity", .string(entity.name)), ("number", .number(entity.number)),
                ("abstract", .bool(entity.isAbstract)), ("table", .string(entity.table)),
                ("rows", Self.optional(entity.rows)), ("isEstimate", .bool(entity.isEstimate)),
                ("tableBytes", Self.optional(entity.bytes)),
            ])
        }
        let joins = joins.map { join in
            JSON.object([
                ("relationships", .string(join.name)), ("table", .string(join.table)),
                ("rows", Self.optional(join.rows)), ("isEstimate", .bool(join.isEstimate)),
                ("tableBytes", Self.optional(join.bytes)),
            ])
        }
        let indexes = indexes.map { index in
            JSON.object([
                ("name", .string(index.name)), ("table", .string(index.table)),
                ("bytes", Self.optional(index.bytes)),
            ])
        }
        return .object([
            ("store", .string(url.path)), ("condition", .string(condition.name)), ("uuid", .optional(description.uuid)),
            ("frameworkVersion", Self.optional(description.frameworkVersion)), ("fileBytes", .number(Int(fileBytes))),
            ("logBytes", .number(Int(logBytes))), ("pageSize", .number(pageSize)), ("pages", .number(pageCount)),
            ("freePages", .number(freePages)), ("hasModel", .bool(description.model != nil)),
            ("versionIdentifiers", .array((description.model?.versionIdentifiers ?? []).map { .string($0) })),
            ("checksum", .optional(checksum)), ("entities", .array(entities)), ("joins", .array(joins)),
            ("indexes", .array(indexes)), ("history", historyJSON), ("externalFiles", .number(externalFiles)),
            ("externalBytes", .number(Int(externalBytes))), ("unusual", .array(remarks.map { .string($0) })),
        ])
    }

    private var historyJSON: JSON {
        guard let history else { return .null }
        let days = history.days.map { day in
            JSON.object([
                ("day", .string(day.day)), ("author", .string(day.author)), ("transactions", .number(day.transactions)),
                ("changes", .number(day.changes)),
            ])
        }
        return .object([
            ("transactions", .number(history.transactions)),
            ("first", .optional(history.first.map { ValueText.text($0) })),
            ("last", .optional(history.last.map { ValueText.text($0) })), ("days", .array(days)),
        ])
    }

    private static func optional(_ number: (some BinaryInteger)?) -> JSON { number.map { .number(Int($0)) } ?? .null }
}
