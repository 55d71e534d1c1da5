import CoreData

extension MagicalRecord {
    /// A type an attribute's value comes back as when the store computes rows instead of objects.
    public protocol AttributeValue {
        /// The type without the possibility of having no value: `Int32` for `Int32?`, else the type itself.
        associatedtype Present: MagicalRecord.AttributeValue = Self

        /// From what the store gave; `nil` and `NSNull` mean that there is no value. Fails for a value that this type cannot
        /// hold as well, which is an error for those who asked.
        init?(stored: Any?)
    }
}

extension MagicalRecord {
    /// A number, or nothing.
    public protocol NumericAttribute: MagicalRecord.AttributeValue {
        /// What sums are given in: the number's own type.
        associatedtype Sum: MagicalRecord.AttributeValue & Equatable & Sendable
        /// What means are given in: `Double`, or `Decimal` for decimals.
        associatedtype Average: MagicalRecord.AttributeValue

        /// The sum over nothing.
        static var emptySum: Sum { get }
        /// The type in which the store computes sums.
        static var sumType: NSAttributeType { get }
        /// The type in which the store computes means.
        static var averageType: NSAttributeType { get }
    }
}

extension MagicalRecord.NumericAttribute where Sum == Self, Self: AdditiveArithmetic {
    public static var emptySum: Sum { .zero }
}

extension MagicalRecord.NumericAttribute where Self: BinaryInteger {
    public static var sumType: NSAttributeType { .integer64AttributeType }
    public static var averageType: NSAttributeType { .doubleAttributeType }
}

extension MagicalRecord.NumericAttribute where Self: BinaryFloatingPoint {
    public static var sumType: NSAttributeType { .doubleAttributeType }
    public static var averageType: NSAttributeType { .doubleAttributeType }
}

extension MagicalRecord.AttributeValue where Self: BinaryInteger {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self.init(exactly: number.int64Value)
    }
}

extension Int: MagicalRecord.NumericAttribute {
    public typealias Sum = Int
    public typealias Average = Double
}
extension Int16: MagicalRecord.NumericAttribute {
    public typealias Sum = Int16
    public typealias Average = Double
}
extension Int32: MagicalRecord.NumericAttribute {
    public typealias Sum = Int32
    public typealias Average = Double
}
extension Int64: MagicalRecord.NumericAttribute {
    public typealias Sum = Int64
    public typealias Average = Double
}

extension Double: MagicalRecord.NumericAttribute {
    public typealias Sum = Double
    public typealias Average = Double

    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.doubleValue
    }
}

extension Float: MagicalRecord.NumericAttribute {
    public typealias Sum = Float
    public typealias Average = Double

    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.floatValue
    }
}

extension Decimal: MagicalRecord.NumericAttribute {
    public typealias Sum = Decimal
    public typealias Average = Decimal

    public static var emptySum: Decimal { 0 }
    public static var sumType: NSAttributeType { .decimalAttributeType }
    public static var averageType: NSAttributeType { .decimalAttributeType }

    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        if number is NSDecimalNumber {
            self = number.decimalValue
        } else if let shortest = Decimal(string: number.stringValue) {
            // The `decimalValue` of a double has digits that the double does not stand for.
            self = shortest
        } else {
            return nil
        }
    }
}

extension Bool: MagicalRecord.AttributeValue {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.boolValue
    }
}

extension MagicalRecord.AttributeValue where Self: AnyObject {
    public init?(stored: Any?) {
        guard let value = stored as? Self else { return nil }
        self = value
    }
}

extension NSNumber: MagicalRecord.NumericAttribute {
    public typealias Present = NSNumber
    public typealias Sum = Double
    public typealias Average = Double

    public static var emptySum: Double { 0 }
    public static var sumType: NSAttributeType { .doubleAttributeType }
    public static var averageType: NSAttributeType { .doubleAttributeType }
}
extension NSManagedObjectID: MagicalRecord.AttributeValue {
    public typealias Present = NSManagedObjectID
}

extension MagicalRecord {
    /// Values that come back as they are.
    public protocol PlainAttributeValue: MagicalRecord.AttributeValue {}
}

extension MagicalRecord.PlainAttributeValue {
    public init?(stored: Any?) {
        guard let value = stored as? Self else { return nil }
        self = value
    }
}

extension String: MagicalRecord.PlainAttributeValue {}
extension Date: MagicalRecord.PlainAttributeValue {}
extension UUID: MagicalRecord.PlainAttributeValue {}
extension URL: MagicalRecord.PlainAttributeValue {}
extension Data: MagicalRecord.PlainAttributeValue {}

extension Optional: MagicalRecord.AttributeValue where Wrapped: MagicalRecord.AttributeValue {
    public typealias Present = Wrapped.Present

    public init?(stored: Any?) {
        guard let stored, !(stored is NSNull) else {
            self = .none
            return
        }
        guard let value = Wrapped(stored: stored) else { return nil }
        self = value
    }
}
extension Optional: MagicalRecord.NumericAttribute where Wrapped: MagicalRecord.NumericAttribute {
    public typealias Sum = Wrapped.Sum
    public typealias Average = Wrapped.Average

    public static var emptySum: Wrapped.Sum { Wrapped.emptySum }
    public static var sumType: NSAttributeType { Wrapped.sumType }
    public static var averageType: NSAttributeType { Wrapped.averageType }
}
