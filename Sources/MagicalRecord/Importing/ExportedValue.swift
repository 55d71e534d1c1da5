import CoreData

/// Converts attribute values to JSON values that an import reads back as the same values.
enum ExportedValue {
    /// Returns the JSON value of an attribute's value.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue`` for a value that has no form in JSON.
    static func json(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any {
        switch value {
        case let text as String: return text
        case let date as Date: return self.date(date, attribute)
        case let uuid as UUID: return uuid.uuidString
        case let url as URL: return url.absoluteString
        case let data as Data: return data.base64EncodedString()
        // As text: readers of JSON numbers lose digits.
        case let decimal as NSDecimalNumber: return decimal.stringValue
        case let number as NSNumber:
            if attribute.attributeType == .booleanAttributeType { return number.boolValue }
            let isFinite = number.doubleValue.isFinite
            guard isFinite else { break }
            return number
        default:
            if JSONSerialization.isValidJSONObject([value]) { return value }
        }
        throw MagicalRecordError(
            .unexportableValue, "A value of class \(type(of: value)) cannot be written as JSON.",
            advice: "Leave the attribute out, with ExportOptions.excluding.", entity: attribute.entity.name,
            key: attribute.name)
    }

    private static func date(_ date: Date, _ attribute: NSAttributeDescription) -> Any {
        let pattern = attribute.importText(ImportKey.dateFormat)
        if pattern == ImportKey.unixTime { return date.timeIntervalSince1970 * 1000 }
        guard let pattern, pattern != ImportKey.defaultDateFormat else { return internet(date) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = pattern
        return formatter.string(from: date)
    }

    /// Returns the date in the internet format (RFC 3339), with a fraction only if it has one.
    private static func internet(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let fraction = date.timeIntervalSince1970 - seconds
        let formatter = ISO8601DateFormatter()
        let whole = formatter.string(from: Date(timeIntervalSince1970: seconds))
        guard fraction > 0 else { return whole }
        return whole.dropLast() + String(format: "%.6f", fraction).dropFirst() + "Z"
    }
}
