import CoreDataModelBuilding
import StoreTools

/// The formats of rows.
package enum RowFormat: String, CaseIterable, Sendable {
    case table, csv, ndjson, json

    static let options = [
        CommandOption("format", "FORMAT", "table, csv, ndjson or json; a table on terminals, else csv"),
        CommandOption("wide", nil, "texts of tables are not cut to the terminal's width"),
        CommandOption("json", nil, "the same as --format json; errors as JSON, too"),
    ]

    /// Returns the format that a command line asks for; nil for the default.
    static func requested(_ arguments: Arguments) throws -> RowFormat? {
        guard let text = arguments["format"] else { return arguments.has("json") ? .json : nil }
        guard let format = RowFormat(rawValue: text.lowercased()) else {
            let near = Suggestion.nearest(to: text, among: allCases.map(\.rawValue))
            throw UsageError(
                "“\(text)” is no format" + (near.map { "; did you mean \($0)?" } ?? ": table, csv, ndjson or json"))
        }
        guard !arguments.has("json") || format == .json || format == .ndjson else {
            throw UsageError("--json and --format \(text) contradict each other")
        }
        return format
    }
}
