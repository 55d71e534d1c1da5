import CoreData

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Converts a value of a record to its attribute's type.
struct ValueConverter: Sendable {
    private enum Kind {
        case date(ImportDates)
        case integer(ClosedRange<Int64>)
        case color
        /// The key paths of the elements' values, and their conversion.
        case composite([(paths: PayloadPaths, converter: ValueConverter)])
        /// Any other type.
        case converted(NSAttributeType)
        case unchanged(NSAttributeType)
    }

    /// The attribute's name.
    private let name: String
    private let kind: Kind

    init(_ attribute: NSAttributeDescription) {
        name = attribute.name
        if let name = attribute.importText(ImportKey.valueClassName) {
            kind = name.hasSuffix("Color") ? .color : .unchanged(attribute.attributeType)
            return
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *),
            let composite = attribute as? NSCompositeAttributeDescription
        {
            kind = .composite(composite.elements.map { ($0.importPaths, ValueConverter($0)) })
            return
        }
        switch attribute.attributeType {
        case .dateAttributeType: kind = .date(ImportDates(pattern: attribute.importText(ImportKey.dateFormat)))
        case let type: kind = type.integerRange.map { .integer($0) } ?? .converted(type)
        }
    }

    /// Whether values are converted to dates.
    var isForDates: Bool { if case .date = kind { true } else { false } }

    /// Returns the converted value. Errors name the attribute. A text that is not a number, and a number outside the attribute's
    /// range, are errors (the original read the first as 0 and let the second overflow).
    ///
    /// - Parameters:
    ///   - identifies: whether a fraction for an integer attribute is an error: 1.5 identifies neither an object nor a case.
    ///   - readsLeadingNumbers: whether a text that begins with a number is read as that number, as in the original.
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``.
    func convert(_ value: Any, identifies: Bool, readsLeadingNumbers: Bool = false) throws -> ImportedValue {
        do {
            if identifies, case .integer = kind, let number = try? Self.number(value) {
                let whole = number.rounded(.towardZero) == number ? number : nil
                _ = try Self.require(whole, value, "a whole number, as an ID or a raw value must be")
            }
            do {
                return try convert(value)
            } catch {
                guard readsLeadingNumbers, isForNumbers, let number = Self.leadingNumber(value) else { throw error }
                return try convert(number)
            }
        } catch var error as MagicalRecordError {
            error.key = error.key.map { "\(name).\($0)" } ?? name
            throw error
        }
    }

    private var isForNumbers: Bool {
        switch kind {
        case .integer: true
        case .converted(let type): [.doubleAttributeType, .floatAttributeType, .decimalAttributeType].contains(type)
        default: false
        }
    }

    /// Returns the number at the beginning of a text.
    private static func leadingNumber(_ value: Any) -> NSNumber? {
        guard let text = string(value)?.drop(while: \.isWhitespace) else { return nil }
        let isDigit: (Character) -> Bool = { $0.isASCII && $0.isWholeNumber }
        let unsigned = text.first == "+" || text.first == "-" ? text.dropFirst() : text
        let end = unsigned.firstIndex { !isDigit($0) } ?? text.endIndex
        // A period belongs to the number if a digit follows it.
        let fraction = text[end...].first == "." ? text[end...].dropFirst().prefix(while: isDigit) : ""
        let number = text[..<(fraction.isEmpty ? end : fraction.endIndex)]
        return Int64(number).map { NSNumber(value: $0) } ?? Double(number).map { NSNumber(value: $0) }
    }

    /// Returns the converted value. Errors do not name the attribute.
    func convert(_ value: Any) throws -> ImportedValue {
        if ImportedValue.isNull(value) { return .null }
        switch kind {
        case .unchanged(let type): return .other(try Self.fitting(value, type))
        case .converted(let type): return try Self.convert(value, to: type)
        case .integer(let range): return .integer(try Self.integer(value, range))
        case .date(let dates): return .date(try Self.require(dates.date(from: value), value, "a date"))
        case .color:
            let color = Self.string(value).flatMap(ColorText.init)
            return .other(try Self.require(color, value, "a colour, written rgba(red,green,blue,alpha)").value)
        case .composite(let elements):
            let record = try Self.require(value as? [String: Any], value, "a dictionary of the attribute's elements")
            let payload = Payload(record)
            var result: [String: Any] = [:]
            for (paths, converter) in elements {
                guard let part = paths.value(in: payload) else { continue }
                do {
                    result[converter.name] = try converter.convert(part, identifies: false).boxed
                } catch {
                    throw error.within(paths.path(in: payload))
                }
            }
            return .other(result)
        }
    }

    private static func convert(_ value: Any, to type: NSAttributeType) throws -> ImportedValue {
        switch type {
        case .stringAttributeType: return .text(text(value))
        case .doubleAttributeType: return .double(try number(value))
        case .floatAttributeType:
            let float = Float(try number(value))
            return .float(try require(float.isFinite ? float : nil, value, "within the range of a Float"))
        case .decimalAttributeType: return .other(try decimal(value))
        case .booleanAttributeType: return .boolean(try boolean(value))
        case .UUIDAttributeType:
            return .other(try require(string(value).flatMap(UUID.init) ?? value as? UUID, value, "a UUID"))
        case .URIAttributeType:
            return .other(try require(string(value).flatMap(URL.init(string:)) ?? value as? URL, value, "a URL"))
        case .binaryDataAttributeType:
            let data = string(value).flatMap { Data(base64Encoded: $0) } ?? value as? Data
            return .other(try require(data, value, "base64 data"))
        default: return .other(try fitting(value, type))
        }
    }

    /// Returns a text, or nil for any other value.
    static func string(_ value: Any) -> String? {
        ImportedValue.isText(value) || !(value is NSNumber) ? value as? String : nil
    }

    private static func require<Value>(_ converted: Value?, _ value: Any, _ what: String) throws -> Value {
        if let converted { return converted }
        let remedy =
            what == "a date"
            ? "set \(ImportKey.dateFormat) in the attribute's userInfo" : "give the attribute a type that holds it"
        throw MagicalRecordError(
            .unconvertibleValue, "\(described(value)) is not \(what).",
            advice: "Correct the value, or \(remedy).")
    }

    /// Returns one line for an error: a text, shortened and in quotation marks, a number, or the kind of any other value.
    static func described(_ value: Any) -> String {
        if let text = string(value) {
            let start = text.unicodeScalars.prefix(60)
            return String(reflecting: String(start) + (start.endIndex == text.unicodeScalars.endIndex ? "" : "…"))
        }
        return switch value {
        case is NSNumber, is UUID: "\(value)"
        case is Date: "A date"
        case let list as [Any]: "A list of \(list.count) values"
        case is [AnyHashable: Any]: "An object"
        case let data as Data: "A value of \(data.count) bytes"
        default: "A value of the type \(type(of: value))"
        }
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
        guard JSONSerialization.isValidJSONObject(value),
            let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        else { return String(describing: value) }
        return String(decoding: data, as: UTF8.self)
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
            integer = try require(whole(number), value, "a number of 64 bits")
        }
        guard range.contains(integer) else {
            throw MagicalRecordError(
                .unconvertibleValue,
                "\(integer) is outside the attribute's range, \(range.lowerBound) to \(range.upperBound).",
                advice: "Give the attribute a larger type, or correct the value.")
        }
        return integer
    }

    /// Returns the integral part of a number, as the store does; nil if it is not within 64 bits.
    private static func whole(_ number: NSNumber) -> Int64? {
        let double = number.doubleValue.rounded(.towardZero)
        if abs(double) < 9_007_199_254_740_992 { return Int64(double) }
        // `JSONSerialization` returns decimals near the limits of 64 bits, and doubles for integers beyond them.
        if let decimal = number as? NSDecimalNumber { return Int64(decimal.stringValue.prefix { $0 != "." }) }
        if number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "d")) { return whole(double) }
        let integer = number.int64Value
        return NSNumber(value: integer).compare(number) == .orderedSame ? integer : nil
    }

    /// Returns the integral part of a number if it is certainly within 64 bits: -9223372036854775809 is -2^63 as a Double.
    private static func whole(_ double: Double) -> Int64? {
        let whole = double.rounded(.towardZero)
        return abs(whole) < 0x1p63 ? Int64(whole) : nil
    }

    private static func number(_ value: Any) throws -> Double {
        if type(of: value) == Double.self, let double = value as? Double, double.isFinite { return double }
        let text = string(value)?.trimmingCharacters(in: .whitespaces)
        // The doubleValue of a decimal, as which JSON is read, may differ in the last bit from that of its digits.
        let number =
            text.map { Double($0) } ?? (value as? NSDecimalNumber).map { Double($0.stringValue) }
            ?? (value as? NSNumber)?.doubleValue
        return try require(number.flatMap { $0.isFinite ? $0 : nil }, value, "a number")
    }

    /// Converts by way of decimal digits, so that 1.2 stays 1.2.
    private static func decimal(_ value: Any) throws -> NSDecimalNumber {
        let text = string(value)?.trimmingCharacters(in: .whitespaces)
        if text == nil, let decimal = value as? NSDecimalNumber { return decimal }
        let digits = text ?? (value as? NSNumber)?.stringValue
        let decimal = digits.flatMap { Double($0) == nil ? nil : Decimal(string: $0, locale: nil) }
        return NSDecimalNumber(decimal: try require(decimal, value, "a decimal number"))
    }

    private static func boolean(_ value: Any) throws -> Bool {
        if type(of: value) == Bool.self, let truth = value as? Bool { return truth }
        if let text = string(value) { return (text as NSString).boolValue }
        return try require(value as? NSNumber, value, "true or false").boolValue
    }
}

/// A color written `rgba(64,128,225,1)`: red, green and blue from 0 to 255, alpha from 0 to 1.
struct ColorText {
    /// Red, green, blue and alpha, each from 0 to 1.
    let components: [Double]

    /// Parses a color; returns nil for any other text. Alpha may be a fraction, on which the original looped forever.
    init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.lowercased().hasPrefix("rgba("), trimmed.hasSuffix(")") else { return nil }
        let parts = trimmed.dropFirst(5).dropLast().split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard parts.count == 4, numbers.count == 4 else { return nil }
        components = zip(numbers, [255, 255, 255, 1]).map(/)
    }

    /// The platform's color object; without UIKit and AppKit an array of the four components.
    var value: Any {
        #if canImport(UIKit)
        return UIColor(red: components[0], green: components[1], blue: components[2], alpha: components[3])
        #elseif canImport(AppKit)
        return NSColor(deviceRed: components[0], green: components[1], blue: components[2], alpha: components[3])
        #else
        return NSArray(array: components.map { NSNumber(value: $0) })
        #endif
    }
}
