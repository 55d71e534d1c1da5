import CoreDataRowStorage
import Foundation

/// The rules for the values of each attribute type.
enum AttributeValues {
    /// Returns the reason for which a value does not fit the attribute, in Apple's words; nil if it fits.
    static func problem(with value: Any, for attribute: NSAttributeDescription) -> String? {
        if accepts(value, type: attribute.attributeType) { return nil }
        let wanted = attribute.attributeValueClassName ?? "a value its transformer takes"
        return "Unacceptable type of value for attribute: property = \"\(attribute.name)\"; "
            + "desired type = \(wanted); given type = \(Swift.type(of: value)); value = \(value)."
    }

    /// Returns whether attributes of the type accept a value. `NSNull` stands for nil and is never accepted.
    static func accepts(_ value: Any, type: NSAttributeType) -> Bool {
        if value is NSNull { return false }
        return switch type {
        case .undefinedAttributeType, .transformableAttributeType: true
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            BoxedValue.number(from: value) != nil
        case .decimalAttributeType: value is NSDecimalNumber || value is Decimal
        case .stringAttributeType: value is String || value is NSString
        case .dateAttributeType: value is Date || value is NSDate
        case .binaryDataAttributeType: value is Data || value is NSData
        case .UUIDAttributeType: value is UUID || value is NSUUID
        case .URIAttributeType: value is URL || value is NSURL
        case .objectIDAttributeType: value is NSManagedObjectID
        case .compositeAttributeType: value is [String: Any] || value is NSDictionary
        }
    }

    /// Returns the value in the form that attributes of the type return: numbers as `NSNumber`, decimals as `NSDecimalNumber`,
    /// others as Swift's value types. Values that do not fit are returned unchanged.
    static func boxed(_ value: Any, as type: NSAttributeType) -> Any {
        if let kind = CellKind(result: type) { return BoxedValue.of(value, as: kind) }
        return type == .compositeAttributeType ? (value as? [String: Any]) ?? value : value
    }

    /// Returns whether two values of unknown type are equal: by `==` if they are hashable or objects, by elements if they are
    /// arrays or dictionaries, else false.
    static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one as NSObject, let other as NSObject): one.isEqual(other)
        case (let one as AnyHashable, let other as AnyHashable): one == other
        case (let one as [Any], let other as [Any]):
            one.count == other.count && zip(one, other).allSatisfy { areEqual($0, $1) }
        case (let one as [AnyHashable: Any], let other as [AnyHashable: Any]):
            one.count == other.count && one.allSatisfy { areEqual($0.value, other[$0.key]) }
        default: false
        }
    }
}
