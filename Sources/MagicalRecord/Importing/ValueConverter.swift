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

    /// The converted value.
    ///
    /// Numbers in texts are read in full precision. A text that is no number, or a number outside the attribute's
    /// range, is an error (the original made 0 of the one, and let the other overflow).
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``.
    func convert(_ value: Any) throws -> ImportedValue {
        if ImportedValue.isNull(value) { return .null }
        switch kind {
        case .unchanged: return .other(value)
        case .text: return .text(Self.text(value))
        case .integer(let range): return .integer(try Self.integer(value, range))
        case .double: return .double(try Self.number(value))
        case .float: return .float(Float(try Self.number(value)))
        case .decimal: return .other(try Self.decimal(value))
        case .boolean: return .boolean(try Self.boolean(value))
        case .date(let dates): return .date(try Self.require(dates.date(from: value), value, "a date"))
        case .uuid:
            return .other(try Self.require(Self.string(value).flatMap(UUID.init) ?? value as? UUID, value, "a UUID"))
        case .uri:
            let url = Self.string(value).flatMap(URL.init(string:)) ?? value as? URL
            return .other(try Self.require(url, value, "a URL"))
        case .data: return .other(try Self.data(value))
        case .color:
            let color = Self.string(value).flatMap(ColorText.init)
            return .other(try Self.require(color, value, "a colour, written rgba(red,green,blue,alpha)").value)
        }
    }

    /// A text, or `nil` for any other value.
    private static func string(_ value: Any) -> String? {
        ImportedValue.isText(value) || !(value is NSNumber) ? value as? String : nil
    }

    private static func require<Value>(_ converted: Value?, _ value: Any, _ what: String) throws -> Value {
        if let converted { return converted }
        let text = String(describing: value)
        throw MagicalRecordError(.unconvertibleValue, "\"\(text.prefix(80))\" is not \(what).")
    }

    /// Texts stay, numbers are written out (true is 1), lists and dictionaries become JSON.
    private static func text(_ value: Any) -> String {
        if let text = string(value) { return text }
        if let number = value as? NSNumber { return number.stringValue }
        if let date = value as? Date { return date.description }
        if JSONSerialization.isValidJSONObject(value),
            let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        {
            return String(decoding: data, as: UTF8.self)
        }
        return String(describing: value)
    }

    private static func integer(_ value: Any, _ range: ClosedRange<Int64>) throws -> Int64 {
        let integer: Int64
        if type(of: value) == Int.self, let plain = value as? Int {
            integer = Int64(plain)
        } else if let text = string(value) {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            let exact = Int64(trimmed) ?? Double(trimmed).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
            integer = try require(exact, value, "a whole number")
        } else {
            let number = try require(value as? NSNumber, value, "a whole number")
            // A number with a fraction loses it, as it would in the store.
            let double = number.doubleValue.rounded(.towardZero)
            if abs(double) < 9_007_199_254_740_992 {
                integer = Int64(double)
            } else {
                integer = number.int64Value
                let isExact = NSNumber(value: integer).compare(number) == .orderedSame
                _ = try require(isExact ? integer : nil, value, "a number of 64 bits")
            }
        }
        guard range.contains(integer) else {
            throw MagicalRecordError(
                .unconvertibleValue,
                "\(integer) is outside the attribute's range, \(range.lowerBound) to \(range.upperBound).")
        }
        return integer
    }

    private static func number(_ value: Any) throws -> Double {
        if type(of: value) == Double.self, let double = value as? Double { return double }
        if let text = string(value) {
            return try require(Double(text.trimmingCharacters(in: .whitespaces)), value, "a number")
        }
        return try require(value as? NSNumber, value, "a number").doubleValue
    }

    /// By way of the decimal digits, so that 1.2 stays 1.2.
    private static func decimal(_ value: Any) throws -> NSDecimalNumber {
        if let text = string(value)?.trimmingCharacters(in: .whitespaces) {
            return NSDecimalNumber(decimal: try require(decimal(text), value, "a decimal number"))
        }
        if let decimal = value as? NSDecimalNumber { return decimal }
        let digits = (value as? NSNumber)?.stringValue
        return NSDecimalNumber(decimal: try require(digits.flatMap(decimal), value, "a decimal number"))
    }

    private static func decimal(_ text: String) -> Decimal? {
        Double(text) == nil ? nil : Decimal(string: text, locale: nil)
    }

    private static func boolean(_ value: Any) throws -> Bool {
        if type(of: value) == Bool.self, let truth = value as? Bool { return truth }
        if let text = string(value) { return (text as NSString).boolValue }
        return try require(value as? NSNumber, value, "true or false").boolValue
    }

    private static func data(_ value: Any) throws -> Data {
        try require(string(value).flatMap { Data(base64Encoded: $0) } ?? value as? Data, value, "base64 data")
    }
}
