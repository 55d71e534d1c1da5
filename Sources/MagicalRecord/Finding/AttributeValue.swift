import CoreData

/// A type an attribute's value comes back as when the store computes rows instead of objects.
public protocol AttributeValue {
    /// From what the store gave; `nil` and `NSNull` mean that there is no value. Fails for a value that this type cannot
    /// hold as well, which is an error for those who asked.
    init?(stored: Any?)
}

/// A number, or nothing.
public protocol NumericAttribute: AttributeValue {}

extension AttributeValue where Self: BinaryInteger {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self.init(exactly: number.int64Value)
    }
}

extension Int: NumericAttribute {}
extension Int16: NumericAttribute {}
extension Int32: NumericAttribute {}
extension Int64: NumericAttribute {}

extension Double: NumericAttribute {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.doubleValue
    }
}

extension Float: NumericAttribute {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.floatValue
    }
}

extension Decimal: NumericAttribute {
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

extension Bool: AttributeValue {
    public init?(stored: Any?) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.boolValue
    }
}

extension AttributeValue where Self: AnyObject {
    public init?(stored: Any?) {
        guard let value = stored as? Self else { return nil }
        self = value
    }
}

extension NSNumber: NumericAttribute {}
extension NSManagedObjectID: AttributeValue {}

/// Values that come back as they are.
public protocol PlainAttributeValue: AttributeValue {}

extension PlainAttributeValue {
    public init?(stored: Any?) {
        guard let value = stored as? Self else { return nil }
        self = value
    }
}

extension String: PlainAttributeValue {}
extension Date: PlainAttributeValue {}
extension UUID: PlainAttributeValue {}
extension URL: PlainAttributeValue {}
extension Data: PlainAttributeValue {}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public init?(stored: Any?) {
        guard let stored, !(stored is NSNull) else {
            self = .none
            return
        }
        guard let value = Wrapped(stored: stored) else { return nil }
        self = value
    }
}
extension Optional: NumericAttribute where Wrapped: NumericAttribute {}
