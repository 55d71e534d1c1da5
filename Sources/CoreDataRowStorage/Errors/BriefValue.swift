import Foundation

/// The text of a property's value in an error: one line of bounded length.
package enum BriefValue {
    /// The maximum number of characters of a text.
    package static let longestText = 60
    private static let longestList = 3

    /// Returns the value's text. Texts are shortened, and binary data and lists in lists are only their size.
    package static func text(_ value: Any?) -> String { text(value, isInList: false) }

    private static func text(_ value: Any?, isInList: Bool) -> String {
        switch value {
        case nil, is NSNull: return "nil"
        case let value as any BrieflyPrinted: return value.briefDescription
        case let text as String: return quoted(text)
        case let number as NSNumber: return "\(number)"
        case let data as Data: return "\(data.count) bytes"
        case let date as Date: return text(of: date)
        case let identifier as UUID: return identifier.uuidString
        case let url as URL: return shortened(url.absoluteString)
        case let set as Set<AnyHashable>: return list(set.map(\.base), isInList)
        case let ordered as NSOrderedSet: return list(ordered.array, isInList)
        case let values as [Any]: return list(values, isInList)
        case let value?: return "a value of the type \(shortened("\(type(of: value))"))"
        }
    }

    private static func quoted(_ text: String) -> String { String(reflecting: shortened(text)) }

    /// Returns the beginning of a text, with an ellipsis if the text is longer.
    package static func shortened(_ text: String, to length: Int = longestText) -> String {
        // By scalars: one character may consist of any number of them.
        let start = text.unicodeScalars.prefix(length)
        return start.endIndex == text.unicodeScalars.endIndex ? text : String(start) + "…"
    }

    /// Returns a date as text. Foundation stops the program when it prints a date that is not a number, or far from all calendars.
    private static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        return abs(seconds) < 1e11 ? "\(date)" : "\(seconds) seconds after 2001"
    }

    private static func list(_ values: [Any], _ isInList: Bool) -> String {
        if isInList { return "[\(values.count) elements]" }
        let more = values.count > longestList ? ", and \(values.count - longestList) more" : ""
        return "[" + values.prefix(longestList).map { text($0, isInList: true) }.joined(separator: ", ") + more + "]"
    }
}
