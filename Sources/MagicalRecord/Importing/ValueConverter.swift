import CoreData

/// Converts a value of a record to its attribute's type.
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
        case composite([Element])
        case unchanged(NSAttributeType)
    }

    /// An element of a composite attribute: the key paths of its value and its conversion.
    private struct Element {
        let name: String
        let paths: PayloadPaths
        let converter: ValueConverter

        init(_ attribute: NSAttributeDescription) {
            name = attribute.name
            paths = attribute.importPaths
            converter = ValueConverter(attribute)
        }
    }

    private let kind: Kind

    init(_ attribute: NSAttributeDescription) {
        if let name = attribute.importText(ImportKey.valueClassName) {
            kind = name.hasSuffix("Color") ? .color : .unchanged(attribute.attributeType)
            return
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *),
            let composite = attribute as? NSCompositeAttributeDescription
        {
            kind = .composite(composite.elements.map(Element.init))
            return
        }
        switch attribute.attributeType {
        case .dateAttributeType:
            kind = .date(ImportDates(pattern: attribute.importText(ImportKey.dateFormat)))
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
        default: kind = .unchanged(attribute.attributeType)
        }
    }

    /// Whether values are converted to dates.
    var isForDates: Bool {
        if case .date = kind { return true }
        return false
    }

    /// Returns the converted value.
    ///
    /// Numbers in texts are read in full precision. A text that is not a number, and a number outside the attribute's range,
    /// are errors (the original read the first as 0 and let the second overflow).
    ///
    /// - Parameter readsLeadingNumbers: whether a text that begins with a number is read as that number, as in the original.
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``.
    func convert(_ value: Any, readsLeadingNumbers: Bool) throws -> ImportedValue {
        do {
            return try convert(value)
        } catch {
            guard readsLeadingNumbers, isForNumbers, let number = Self.leadingNumber(value) else { throw error }
            return try convert(number)
        }
    }

    private var isForNumbers: Bool {
        switch kind {
        case .integer, .double, .float, .decimal: true
        default: false
        }
    }

    /// Returns the converted value of an identity. See ``convert(_:readsLeadingNumbers:)``.
    ///
    /// For integer attributes a fraction is an error rather than truncated: 1.5 does not identify 1.
    func convertIdentity(_ value: Any, readsLeadingNumbers: Bool = false) throws -> ImportedValue {
        if case .integer = kind, let number = try? Self.number(value), number.rounded(.towardZero) != number {
            _ = try Self.require(Int64?.none, value, "a whole number, as what identifies an object here must be")
        }
        return try convert(value, readsLeadingNumbers: readsLeadingNumbers)
    }

    /// Returns the number at the beginning of a text.
    private static func leadingNumber(_ value: Any) -> NSNumber? {
        guard let text = string(value)?.drop(while: \.isWhitespace) else { return nil }
        let isDigit: (Character) -> Bool = { $0.isASCII && $0.isWholeNumber }
        var end = text.startIndex
        if let sign = text.first, sign == "+" || sign == "-" { end = text.index(after: end) }
        end = text[end...].firstIndex { !isDigit($0) } ?? text.endIndex
        // A period belongs to the number if a digit follows it.
        let fraction = text[end...]
        if fraction.first == ".", let next = fraction.dropFirst().first, isDigit(next) {
            end = fraction.dropFirst().firstIndex { !isDigit($0) } ?? text.endIndex
        }
        let number = text[..<end]
        return Int64(number).map { NSNumber(value: $0) } ?? Double(number).map { NSNumber(value: $0) }
    }

    /// Returns the converted value. See ``convert(_:readsLeadingNumbers:)``.
    func convert(_ value: Any) throws -> ImportedValue {
        if ImportedValue.isNull(value) { return .null }
        switch kind {
        case .unchanged(let type): return .other(try Self.fitting(value, type))
        case .text: return .text(Self.text(value))
        case .integer(let range): return .integer(try Self.integer(value, range))
        case .double: return .double(try Self.number(value))
        case .float:
            let float = Float(try Self.number(value))
            return .float(try Self.require(float.isFinite ? float : nil, value, "within the range of a Float"))
        case .composite(let elements): return .other(try Self.composite(value, elements))
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

    /// Returns a text, or nil for any other value.
    private static func string(_ value: Any) -> String? {
        ImportedValue.isText(value) || !(value is NSNumber) ? value as? String : nil
    }

    private static func require<Value>(_ converted: Value?, _ value: Any, _ what: String) throws -> Value {
        if let converted { return converted }
        let text = String(describing: value)
        throw MagicalRecordError(
            .unconvertibleValue, "\"\(text.prefix(80))\" is not \(what).",
            advice: what == "a date"
                ? "Correct the value, or set \(ImportKey.dateFormat) in the attribute's userInfo."
                : "Correct the value, or give the attribute a type that holds it.")
    }

    /// Returns a value that needs no conversion, if its class matches the attribute's type.
    private static func fitting(_ value: Any, _ type: NSAttributeType) throws -> Any {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            return try require(string(value) == nil ? value as? NSNumber : nil, value, "a number")
        case .decimalAttributeType: return try decimal(value)
        case .stringAttributeType: return try require(string(value), value, "a text")
        case .dateAttributeType: return try require(value as? Date, value, "a date")
        case .binaryDataAttributeType: return try require(value as? Data, value, "data")
        case .UUIDAttributeType: return try require(value as? UUID, value, "a UUID")
        case .URIAttributeType: return try require(value as? URL, value, "a URL")
        case .objectIDAttributeType: return try require(value as? NSManagedObjectID, value, "an object ID")
        default: return value
        }
    }

    /// Returns the value as text: numbers in decimal (true as 1), lists and dictionaries as JSON.
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
            integer = try require(Int64(trimmed) ?? Double(trimmed).flatMap(whole), value, "a whole number")
        } else {
            let number = try require(value as? NSNumber, value, "a whole number")
            // Fractions are truncated, as in the store.
            let double = number.doubleValue.rounded(.towardZero)
            if abs(double) < 9_007_199_254_740_992 {
                integer = Int64(double)
            } else if let decimal = number as? NSDecimalNumber {
                integer = try require(whole(decimal), value, "a number of 64 bits")
            } else if number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "d")) {
                // `JSONSerialization` also returns doubles for integers that do not fit 64 bits.
                integer = try require(whole(double), value, "a number of 64 bits")
            } else {
                integer = number.int64Value
                let isExact = NSNumber(value: integer).compare(number) == .orderedSame
                _ = try require(isExact ? integer : nil, value, "a number of 64 bits")
            }
        }
        guard range.contains(integer) else {
            throw MagicalRecordError(
                .unconvertibleValue,
                "\(integer) is outside the attribute's range, \(range.lowerBound) to \(range.upperBound).",
                advice: "Give the attribute a larger type, or correct the value.")
        }
        return integer
    }

    /// Returns the integral part of a number if it is certainly within 64 bits: -9223372036854775809 is -2^63 as a Double.
    private static func whole(_ double: Double) -> Int64? {
        let whole = double.rounded(.towardZero)
        return abs(whole) < 0x1p63 ? Int64(whole) : nil
    }

    /// Returns the integral part of a decimal number, from its digits: `JSONSerialization` returns decimals near the limits of
    /// 64 bits.
    private static func whole(_ number: NSDecimalNumber) -> Int64? {
        Int64(number.stringValue.prefix { $0 != "." })
    }

    private static func number(_ value: Any) throws -> Double {
        if type(of: value) == Double.self, let double = value as? Double, double.isFinite { return double }
        let number: Double? =
            if let text = string(value) {
                Double(text.trimmingCharacters(in: .whitespaces))
            } else {
                (value as? NSNumber)?.doubleValue
            }
        return try require(number.flatMap { $0.isFinite ? $0 : nil }, value, "a number")
    }

    /// Returns the converted elements of a composite attribute that a dictionary contains.
    private static func composite(_ value: Any, _ elements: [Element]) throws -> [String: Any] {
        let payload = Payload(try require(value as? [String: Any], value, "a dictionary of the attribute's elements"))
        var result: [String: Any] = [:]
        for element in elements {
            guard let part = element.paths.value(in: payload) else { continue }
            do {
                result[element.name] = try element.converter.convert(part).boxed
            } catch var error as MagicalRecordError {
                error.key = error.key.map { "\(element.name).\($0)" } ?? element.name
                throw error
            }
        }
        return result
    }

    /// Converts by way of decimal digits, so that 1.2 stays 1.2.
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
