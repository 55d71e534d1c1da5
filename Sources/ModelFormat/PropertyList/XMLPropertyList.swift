import Foundation

/// Reads property lists in XML: `.xccurrentversion`, and the `VersionInfo.plist` of some tools.
enum XMLPropertyList {
    static func read(_ data: Data) throws(ModelFormatError) -> PropertyListNode {
        let root = try XMLTreeReader.read(data, file: nil, keepsText: true)
        guard root.name == "plist", let value = root.children.first else {
            throw ModelFormatError(.malformed, "the document is no property list", line: root.line)
        }
        return try node(value)
    }

    private static func node(_ element: XMLElementNode) throws(ModelFormatError) -> PropertyListNode {
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element.name {
        case "string": return .string(element.text)
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "integer":
            if let value = Int64(text) { return .integer(value) }
        case "real":
            if let value = Double(text) { return .real(value) }
        case "data":
            if let value = Data(base64Encoded: text, options: .ignoreUnknownCharacters) { return .data(value) }
        case "date":
            if let value = date(text) { return .date(value) }
        case "array":
            var items: [PropertyListNode] = []
            for child in element.children { items.append(try node(child)) }
            return .array(items)
        case "dict":
            var entries: [String: PropertyListNode] = [:]
            var key: String?
            for child in element.children {
                if child.name == "key" {
                    key = child.text
                } else if let name = key {
                    entries[name] = try node(child)
                    key = nil
                }
            }
            return .dictionary(entries)
        default: break
        }
        throw ModelFormatError(
            .malformed, "<\(element.name)>\(text.prefix(40)) is no property list value", line: element.line)
    }

    private static func date(_ text: String) -> Double? {
        let formatter = ISO8601DateFormatter()
        // The formatter converts 30 February to 1 March.
        guard let date = formatter.date(from: text), formatter.string(from: date) == text else { return nil }
        return date.timeIntervalSinceReferenceDate
    }
}
