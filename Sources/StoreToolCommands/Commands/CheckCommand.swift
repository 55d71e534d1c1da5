import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool check`
struct CheckCommand: Command {
    static let name = "check"
    static let summary = "examines a store, and names what is wrong with it"
    static let usage = "STORE"
    static let details = """
        Tells first what is not damage: a missing or foreign log, a lock, protection, a copy that was cut short, encryption.
        Then SQLite's structure, the tables against the model, and every rule of the format. Exit status 0: nothing is wrong;
        1: findings; 2: the store cannot be read.
        """
    static let options = [CommandOption.json, .model]
    static let examples = [
        CommandExample("check Library.sqlite", "Nothing, or what is wrong."),
        CommandExample("check Library.sqlite --json", "The findings for programs."),
        CommandExample("check Old.sqlite --model Library.momd", "A store from before models were kept in stores."),
    ]

    private let store: URL
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        store = URL(fileURLWithPath: try arguments.positional("STORE")[0])
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        var check = StoreCheck(store)
        check.model = try arguments.model()
        check.progress = console.progress
        let report = try check.run()
        console.progressLine?.clear()
        let isReadable = [.readable, .inUse, .empty].contains(report.condition)
        guard isReadable || !report.findings.isEmpty else { throw report.condition.error(store) }
        if arguments.has("json") {
            try console.line(json(report).text)
        } else {
            try write(report, console)
        }
        return report.isHealthy ? 0 : 1
    }

    private func json(_ report: StoreCheck.Report) -> JSON {
        .object([
            ("store", .string(store.path)), ("condition", .string(report.condition.name)),
            ("conditionMessage", .string(report.condition.message)), ("healthy", .bool(report.isHealthy)),
            ("findings", .array(report.findings.map(\.json))),
        ])
    }

    private func write(_ report: StoreCheck.Report, _ console: Console) throws {
        let name = CellText.escaped(store.lastPathComponent)
        if report.condition != .readable { try console.line(console.styled(report.condition.message, .yellow)) }
        guard !report.findings.isEmpty else {
            return try console.line(console.styled("\(name): nothing is wrong.", .green))
        }
        let mended = report.findings.count { $0.remedy == .mended }
        try console.line(
            console.styled("\(name): \(Quantity.of(report.findings.count, "finding"))", .bold)
                + ", \(mended == report.findings.count ? "all" : "\(mended)") of which a rescue mends without loss")
        for finding in report.findings {
            let style: Console.Style = finding.remedy == .mended ? .yellow : .red
            let rule = console.styled(finding.rule.rawValue, style)
            try console.line("\n\(rule)  " + CellText.escaped(finding.description))
            let count = finding.count > 1 ? "\(Quantity.count(Int64(finding.count))) rows; " : ""
            if let cause = finding.cause { try console.line("    cause: " + CellText.escaped(cause)) }
            try console.line(console.styled("    \(count)\(finding.remedy.text)", .faint))
        }
        try console.line("\n“storetool rescue \(CommandText.quoted(store.relativePath)) --to NEW” writes a new store.")
    }
}

extension StoreFinding {
    var json: JSON {
        .sparse([
            ("rule", .string(rule.rawValue)), ("table", .optional(table)), ("entity", .optional(entity)),
            ("property", .optional(property)), ("keys", .array(keys.map { .number(Int($0)) })),
            ("count", .number(count)), ("message", .string(message)), ("cause", .optional(cause)),
            ("remedy", .string(remedy.rawValue)),
        ])
    }
}

extension StoreFinding.Remedy {
    fileprivate var text: String {
        switch self {
        case .mended: "a rescue mends it without loss"
        case .mendedWithLoss: "a rescue mends it, with loss"
        case .none: "a rescue cannot mend it"
        }
    }
}

extension StoreCondition {
    /// The name of the case.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// Texts for command lines.
enum CommandText {
    /// Returns a word as a shell takes it, in quotes if it needs them.
    static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "/._-+:,".contains($0) }
        return isPlain && !word.isEmpty ? word : "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    /// Returns keys as they are in URIs, consecutive ones as ranges: `p1, p4–p9, …`.
    ///
    /// - Parameter count: The number of all keys, of which `keys` may be the first.
    static func keys(_ keys: [Int64], of count: Int) -> String {
        var ranges: [ClosedRange<Int64>] = []
        for key in keys {
            if let last = ranges.last, last.upperBound < key, last.upperBound + 1 == key {
                ranges[ranges.count - 1] = last.lowerBound...key
            } else {
                ranges.append(key...key)
            }
        }
        let texts = ranges.map { $0.count == 1 ? "p\($0.lowerBound)" : "p\($0.lowerBound)–p\($0.upperBound)" }
        return (texts + (count > keys.count ? ["…"] : [])).joined(separator: ", ")
    }
}
