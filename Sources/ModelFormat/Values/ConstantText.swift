import Foundation

/// Converts the text of defaults and limits in an XML model to values of the attribute's type.
package enum ConstantText {
    /// Returns the value, or `nil` if the type has no constants in XML. Numbers are parsed as in C: the longest numeric prefix,
    /// or else 0.
    package static func value(of text: String, type: AttributeType) -> ModelValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(integer(text))
        case .boolean: .bool(boolean(text))
        case .double, .float: .double(strtod(text, nil))
        case .decimal: Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case .string: .string(text)
        case .date: Double(text).map { .date($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: .url(text)
        case .undefined, .binary, .transformable, .objectID, .composite: nil
        }
    }

    /// Returns whether the whole text is a valid value of the type, so that parsing ignores no part of it.
    package static func isExact(_ text: String, type: AttributeType) -> Bool {
        let number = Double(text.trimmingCharacters(in: .whitespaces))
        return switch type {
        case .integer16, .integer32, .integer64: number == Double(integer(text))
        case .boolean: number != nil || ["yes", "true", "y", "t", "no", "false", "n", "f"].contains(text.lowercased())
        case .double, .float, .decimal: number != nil
        case .string, .uri: true
        case .date, .uuid, .undefined, .binary, .transformable, .objectID, .composite:
            value(of: text, type: type) != nil
        }
    }

    /// Returns the text of a value in an XML model; nil if it has none.
    package static func text(of value: ModelValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "YES" : "NO"
        case .integer(let number): "\(number)"
        case .double(let number), .date(let number): PredicateText.number(number)
        case .decimal(let number): "\(number)"
        case .string(let text), .url(let text): text
        case .uuid(let id): id.uuidString
        case .data, .array, .dictionary, .archive: nil
        }
    }

    private static func integer(_ text: String) -> Int64 {
        Int64(strtoll(text, nil, 10))
    }

    private static func boolean(_ text: String) -> Bool {
        switch text.lowercased() {
        case "yes", "true", "y", "t": true
        default: integer(text) != 0
        }
    }
}
