import CoreData

/// Turns a value of a record into what an attribute holds.
struct ValueConverter: Sendable {
    private enum Kind {
        case date(ImportDates)
        case integer(ClosedRange<Int64>)
        case double
        case float
        case decimal
        case boolean
        case text
        case uuid
        case uri
        case data
        case color
        case unchanged
    }

    private let kind: Kind

    init(_ attribute: NSAttributeDescription) {
        if let name = attribute.importText(kMagicalRecordImportAttributeValueClassNameKey) {
            kind = name.hasSuffix("Color") ? .color : .unchanged
            return
        }
        switch attribute.attributeType {
        case .dateAttributeType:
            kind = .date(ImportDates(pattern: attribute.importText(kMagicalRecordImportCustomDateFormatKey)))
        case .integer16AttributeType: kind = .integer(Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: kind = .integer(Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: kind = .integer(Int64.min...Int64.max)
        case .doubleAttributeType: kind = .double
        case .floatAttributeType: kind = .float
        case .decimalAttributeType: kind = .decimal
        case .booleanAttributeType: kind = .boolean
        case .stringAttributeType: kind = .text
        case .UUIDAttributeType: kind = .uuid
        case .URIAttributeType: kind = .uri
        case .binaryDataAttributeType: kind = .data
        default: kind = .unchanged
        }
    }

    /// The converted value; null gives `nil`.
    ///
    /// Numbers in texts are read in full precision. A text that is no number, or a number outside the attribute's
    /// range, is an error (the original made 0 of the one, and let the other overflow).
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``.
    func convert(_ value: Any) throws -> Any? {
        if value is NSNull { return nil }
        switch kind {
        case .unchanged: return value
        case .text: return Self.text(value)
        case .integer(let range): return try Self.integer(value, range)
        case .double: return try Self.number(value)
        case .float: return NSNumber(value: try Self.number(value).floatValue)
        case .decimal: return try Self.decimal(value)
        case .boolean: return try Self.boolean(value)
        case .date(let dates): return try Self.require(dates.date(from: value), value, "a date")
        case .uuid: return try Self.require(value as? UUID ?? (value as? String).flatMap(UUID.init), value, "a UUID")
        case .uri:
            return try Self.require(value as? URL ?? (value as? String).flatMap(URL.init(string:)), value, "a URL")
        case .data: return try Self.data(value)
        case .color:
            let color = (value as? String).flatMap(ColorText.init)
            return try Self.require(color, value, "a colour, written rgba(red,green,blue,alpha)").value
        }
    }

    private static func require<Value>(_ converted: Value?, _ value: Any, _ what: String) throws -> Value {
        if let converted { return converted }
        let text = String(describing: value)
        throw MagicalRecordError(.unconvertibleValue, "\"\(text.prefix(80))\" is not \(what).")
    }

    /// Texts stay, numbers are written out (true is 1), lists and dictionaries become JSON.
    private static func text(_ value: Any) -> String {
        if let text = value as? String { return text }
        if let number = value as? NSNumber { return number.stringValue }
        if let date = value as? Date { return date.description }
        if JSONSerialization.isValidJSONObject(value),
            let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        {
            return String(decoding: data, as: UTF8.self)
        }
        return String(describing: value)
    }

    private static func integer(_ value: Any, _ range: ClosedRange<Int64>) throws -> NSNumber {
        let integer: Int64
        if let plain = value as? Int {
            integer = Int64(plain)
        } else if let text = value as? String {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            let exact = Int64(trimmed) ?? Double(trimmed).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
            integer = try require(exact, value, "a whole number")
        } else {
            let number = try require(value as? NSNumber, value, "a whole number")
            // A number with a fraction loses it, as it would in the store.
            let double = number.doubleValue
            let isExact = abs(double) < 9_007_199_254_740_992
            integer =
                isExact
                ? try require(Int64(exactly: double.rounded(.towardZero)), value, "a whole number")
                : number.int64Value
        }
        guard range.contains(integer) else {
            throw MagicalRecordError(
                .unconvertibleValue,
                "\(integer) is outside the attribute's range, \(range.lowerBound) to \(range.upperBound).")
        }
        return NSNumber(value: integer)
    }

    private static func number(_ value: Any) throws -> NSNumber {
        if let number = value as? NSNumber { return number }
        let text = try require(value as? String, value, "a number")
        return NSNumber(value: try require(Double(text.trimmingCharacters(in: .whitespaces)), value, "a number"))
    }

    /// By way of the decimal digits, so that 1.2 stays 1.2.
    private static func decimal(_ value: Any) throws -> NSDecimalNumber {
        if let decimal = value as? NSDecimalNumber { return decimal }
        let text = (value as? String)?.trimmingCharacters(in: .whitespaces) ?? (value as? NSNumber)?.stringValue
        let decimal = text.flatMap { Double($0) == nil ? nil : Decimal(string: $0, locale: nil) }
        return NSDecimalNumber(decimal: try require(decimal, value, "a decimal number"))
    }

    private static func boolean(_ value: Any) throws -> NSNumber {
        if let number = value as? NSNumber { return NSNumber(value: number.boolValue) }
        return NSNumber(value: (try require(value as? String, value, "true or false") as NSString).boolValue)
    }

    private static func data(_ value: Any) throws -> Data {
        try require(value as? Data ?? (value as? String).flatMap { Data(base64Encoded: $0) }, value, "base64 data")
    }
}
