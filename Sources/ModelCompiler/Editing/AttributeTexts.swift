import CoreDataModelBuilding
import Foundation
import ModelFormat

/// Reads the types and values of attributes on a command line.
enum AttributeTexts {
    /// The types of Swift that name a type of attributes.
    private static let swiftNames: [String: AttributeType] = [
        "int16": .integer16, "int32": .integer32, "int64": .integer64, "int": .integer64, "bool": .boolean,
        "data": .binary, "url": .uri,
    ]

    /// Returns a type by its name in a model (`Integer 64`, `integer64`) or in Swift (`Int64`); nil if it is unknown.
    static func type(_ text: String) -> AttributeType? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0 != " " && $0 != "-" } }
        let name = plain(text)
        let types = AttributeType.allCases.filter { ![.objectID, .composite].contains($0) }
        return types.first { plain($0.xmlName) == name } ?? swiftNames[name]
    }

    /// The names of the types, for messages.
    static let typeNames = AttributeType.allCases.filter { ![.objectID, .composite].contains($0) }
        .map(\.xmlName).joined(separator: ", ")

    /// Returns the value that a text means for a type.
    ///
    /// - Throws: ``UsageError`` if the whole text is not a value of the type, or the type has no values in models.
    static func value(_ text: String, type: AttributeType, option: String) throws(UsageError) -> ModelValue {
        let value: ModelValue? =
            switch type {
            case .integer16: Int16(text).map { .integer(Int64($0)) }
            case .integer32: Int32(text).map { .integer(Int64($0)) }
            case .integer64: Int64(text).map { .integer($0) }
            case .double, .float: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
            case .decimal: decimal(text).map { .decimal($0) }
            case .boolean: boolean(text).map { .bool($0) }
            case .date: date(text).map { .date($0) }
            case .string: .string(text)
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            case .uri: URL(string: text).map { _ in .url(text) }
            case .undefined, .binary, .transformable, .objectID, .composite: nil
            }
        if let value { return value }
        switch type {
        case .undefined, .binary, .transformable, .objectID, .composite:
            throw UsageError("--\(option): a model holds no values of the type \(type.xmlName)")
        default: throw UsageError("--\(option) \(text): this is no value of the type \(type.xmlName)\(hint(type))")
        }
    }

    private static func hint(_ type: AttributeType) -> String {
        switch type {
        case .boolean: ", which are YES and NO"
        case .date: ", such as 2026-01-31, 2026-01-31T12:00:00Z, or seconds since 2001"
        default: ""
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        guard Double(text)?.isFinite == true else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// Returns a date in seconds since 2001-01-01 00:00 UTC.
    private static func date(_ text: String) -> TimeInterval? {
        if let seconds = Double(text) { return seconds.isFinite ? seconds : nil }
        let day = Date.ISO8601FormatStyle().year().month().day()
        let date = (try? Date(text, strategy: .iso8601)) ?? (text.count == 10 ? try? Date(text, strategy: day) : nil)
        return date?.timeIntervalSinceReferenceDate
    }
}
