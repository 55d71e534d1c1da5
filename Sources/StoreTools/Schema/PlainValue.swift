import Foundation

/// Converts property-list values to Swift's own types.
enum PlainValue {
    /// Returns a text, an `Int64`, `Double` or `Bool`, a date, data, or an array or dictionary of these; nil for other values.
    static func of(_ value: Any) -> (any Sendable)? {
        // A number of Foundation's can be cast to a truth value.
        if type(of: value) == Bool.self { return value as? Bool }
        switch value {
        case let text as String: return text
        case let data as Data: return data
        case let date as Date: return date
        case let number as NSNumber: return plain(number)
        case let values as [Any]:
            let plain = values.compactMap(of)
            return plain.count == values.count ? plain : nil
        case let values as [String: Any]:
            let plain = values.compactMapValues(of)
            return plain.count == values.count ? plain : nil
        default: return nil
        }
    }

    private static func plain(_ number: NSNumber) -> any Sendable {
        #if canImport(ObjectiveC)
        if CFGetTypeID(number) == CFBooleanGetTypeID() { return number.boolValue }
        #endif
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return number.doubleValue
        case UInt8(ascii: "B"): return number.boolValue
        default: return number.int64Value
        }
    }
}
