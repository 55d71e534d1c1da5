import CoreData

extension MagicalRecord {
    /// A type that the values of an attribute have when the store computes rows instead of objects.
    ///
    /// Numbers, text, dates, data, UUIDs, URLs, object IDs and optionals of them conform. An enumeration with a raw value of these
    /// types needs no conformance: `values(of:)` and groups, such as `count(by:)`, take properties with ``Stored``.
    public protocol AttributeValue {
        /// The type without the possibility of having no value: `Int32` for `Int32?`, else the type itself.
        associatedtype Present: MagicalRecord.AttributeValue = Self

        /// Creates a value from what the store gave, where `nil` and `NSNull` stand for none. Returns `nil` for a value that the
        /// type cannot hold.
        init?(_stored value: Any?)
    }

    /// A type of numbers that the store adds up, or an optional of one.
    public protocol NumericAttribute: MagicalRecord.AttributeValue {
        /// The type of sums: that of the numbers, or `NSNumber` for the classes of numbers.
        associatedtype Sum: MagicalRecord.AttributeValue & Equatable & Sendable
        /// The type of means: `Double`, `Decimal` for decimals, or `NSNumber` for the classes of numbers.
        associatedtype Average: MagicalRecord.AttributeValue = Double

        /// The sum over nothing.
        static var _emptySum: Sum { get }
        /// The type in which the store computes sums.
        static var _sumType: NSAttributeType { get }
        /// The type in which the store computes means.
        static var _averageType: NSAttributeType { get }
    }
}

// Values that come back as they are stored.
extension MagicalRecord.AttributeValue {
    public init?(_stored value: Any?) {
        guard let value = value as? Self else { return nil }
        self = value
    }
}

extension String: MagicalRecord.AttributeValue {}
extension Date: MagicalRecord.AttributeValue {}
extension UUID: MagicalRecord.AttributeValue {}
extension URL: MagicalRecord.AttributeValue {}
extension Data: MagicalRecord.AttributeValue {}
extension NSManagedObjectID: MagicalRecord.AttributeValue { public typealias Present = NSManagedObjectID }

extension MagicalRecord.AttributeValue where Self: RawRepresentable, RawValue: MagicalRecord.AttributeValue {
    public init?(_stored value: Any?) {
        guard let value = RawValue(_stored: value) else { return nil }
        self.init(rawValue: value)
    }
}

extension Bool: MagicalRecord.AttributeValue {
    public init?(_stored value: Any?) {
        guard let number = value as? NSNumber else { return nil }
        self = number.boolValue
    }
}

extension MagicalRecord.AttributeValue where Self: BinaryInteger {
    public init?(_stored value: Any?) {
        guard let number = value as? NSNumber else { return nil }
        self.init(exactly: number.int64Value)
    }
}

extension Int8: MagicalRecord.AttributeValue {}
extension UInt8: MagicalRecord.AttributeValue {}
extension UInt16: MagicalRecord.AttributeValue {}
extension UInt32: MagicalRecord.AttributeValue {}

extension MagicalRecord.NumericAttribute { public static var _averageType: NSAttributeType { .doubleAttributeType } }

extension MagicalRecord.NumericAttribute where Self: Numeric { public static var _emptySum: Self { 0 } }

extension MagicalRecord.NumericAttribute where Self: BinaryInteger {
    public static var _sumType: NSAttributeType { .integer64AttributeType }
}

extension Int: MagicalRecord.NumericAttribute {}
extension Int16: MagicalRecord.NumericAttribute {}
extension Int32: MagicalRecord.NumericAttribute {}
extension Int64: MagicalRecord.NumericAttribute {}

extension MagicalRecord.NumericAttribute where Self: BinaryFloatingPoint {
    public init?(_stored value: Any?) {
        guard let number = value as? NSNumber else { return nil }
        self.init(number.doubleValue)
    }

    public static var _sumType: NSAttributeType { .doubleAttributeType }
}

extension Double: MagicalRecord.NumericAttribute {}
extension Float: MagicalRecord.NumericAttribute {}

extension Decimal: MagicalRecord.NumericAttribute {
    public typealias Sum = Decimal
    public typealias Average = Decimal

    public init?(_stored value: Any?) {
        guard let number = value as? NSNumber else { return nil }
        // The `decimalValue` of a double has digits that the double does not stand for.
        let exact = number is NSDecimalNumber ? number.decimalValue : Decimal(string: number.stringValue)
        guard let exact else { return nil }
        self = exact
    }

    public static var _sumType: NSAttributeType { .decimalAttributeType }
    public static var _averageType: NSAttributeType { .decimalAttributeType }
    public static var _emptySum: Decimal { 0 }
}

// Decimals of `NSDecimalNumber`, which has the conformance of its superclass, are computed exactly.
extension NSNumber: MagicalRecord.NumericAttribute {
    public typealias Present = NSNumber
    public typealias Sum = NSNumber
    public typealias Average = NSNumber

    public static var _emptySum: NSNumber { self is NSDecimalNumber.Type ? NSDecimalNumber.zero : 0 }
    public static var _sumType: NSAttributeType {
        self is NSDecimalNumber.Type ? .decimalAttributeType : .doubleAttributeType
    }
    public static var _averageType: NSAttributeType { _sumType }
}

extension Optional: MagicalRecord.AttributeValue where Wrapped: MagicalRecord.AttributeValue {
    public typealias Present = Wrapped.Present

    public init?(_stored value: Any?) {
        if let value, !(value is NSNull) {
            guard let wrapped = Wrapped(_stored: value) else { return nil }
            self = wrapped
        } else {
            self = .none
        }
    }
}

extension Optional: MagicalRecord.NumericAttribute where Wrapped: MagicalRecord.NumericAttribute {
    public typealias Sum = Wrapped.Sum
    public typealias Average = Wrapped.Average

    public static var _emptySum: Wrapped.Sum { Wrapped._emptySum }
    public static var _sumType: NSAttributeType { Wrapped._sumType }
    public static var _averageType: NSAttributeType { Wrapped._averageType }
}
