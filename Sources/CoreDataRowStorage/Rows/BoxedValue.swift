import CoreDataRuntimeSupport
import Foundation

/// Conversions to the types in which attributes return their values.
package enum BoxedValue {
    /// Returns the value as attributes of the kind return it: numbers as `NSNumber`, decimals as `NSDecimalNumber`, others as
    /// Swift's value types. Values of other types are returned unchanged.
    package static func of(_ value: Any, as kind: CellKind) -> Any {
        switch kind {
        case .int16, .int32, .int64, .boolean, .double, .float: number(from: value) ?? value
        case .decimal: (value as? NSDecimalNumber) ?? (value as? Decimal).map(NSDecimalNumber.init(decimal:)) ?? value
        case .string: (value as? String) ?? value
        case .date: (value as? Date) ?? value
        case .data: (value as? Data) ?? value
        case .uuid: (value as? UUID) ?? value
        case .uri: (value as? URL) ?? value
        case .transformable, .boxed, .reference: value
        }
    }

    /// Returns a number of any type as an object; nil for all other values.
    package static func number(from value: Any) -> NSNumber? {
        if let object = ClassInstance.of(value) { return object as? NSNumber }
        return switch value {
        case let value as Bool: NSNumber(value: value)
        case let value as Int: NSNumber(value: value)
        case let value as Int64: NSNumber(value: value)
        case let value as Int32: NSNumber(value: value)
        case let value as Int16: NSNumber(value: value)
        case let value as Int8: NSNumber(value: value)
        case let value as UInt8: NSNumber(value: value)
        case let value as UInt16: NSNumber(value: value)
        case let value as UInt32: NSNumber(value: value)
        case let value as UInt: NSNumber(value: value)
        case let value as UInt64: NSNumber(value: value)
        case let value as Double: NSNumber(value: value)
        case let value as Float: NSNumber(value: value)
        case let value as Decimal: NSDecimalNumber(decimal: value)
        default: value as? NSNumber
        }
    }
}
