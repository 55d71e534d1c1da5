import Foundation

/// A JSON value with ordered objects.
package enum JSON {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    package static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

    /// Returns an object without empty entries: null, false, and empty values.
    package static func sparse(_ entries: [(String, JSON)]) -> JSON {
        .object(
            entries.filter { _, value in
                switch value {
                case .null, .bool(false): false
                case .array(let items): !items.isEmpty
                case .object(let entries): !entries.isEmpty
                default: true
                }
            })
    }

    /// The text, indented by two spaces per level.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): "\(value)"
        case .string(let value): JSONText.string(value)
        case .array(let items): JSONText.array(items.map(\.text))
        case .object(let entries): JSONText.object(entries.map { ($0.0, $0.1.text) })
        }
    }
}

/// Formats JSON strings.
package enum JSONText {
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20: result += String(format: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    package static func object(_ entries: [(String, String)]) -> String {
        guard !entries.isEmpty else { return "{}" }
        let lines = entries.map { "  \(string($0.0)): \(indented($0.1))" }
        return "{\n\(lines.joined(separator: ",\n"))\n}"
    }

    package static func array(_ items: [String]) -> String {
        guard !items.isEmpty else { return "[]" }
        return "[\n\(items.map { "  " + indented($0) }.joined(separator: ",\n"))\n]"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
    }
}
