import CoreDataRuntimeSupport
import Foundation
import ModelFormat

/// Conversion of constants in models to objects and back.
enum ModelConstants {
    /// Returns the constant in the form that attributes of the type return; nil if an archived object cannot be decoded.
    static func object(from value: ModelValue, type: NSAttributeType) -> Any? {
        if case .archive(let data) = value { return unarchived(data) }
        return AttributeValues.boxed(value.foundationValue, as: type)
    }

    /// Returns the object as a constant; nil if it cannot be archived.
    static func value(from object: Any, type: NSAttributeType) -> ModelValue? {
        let object = AttributeValues.boxed(object, as: type)
        guard let number = ClassInstance.of(object) as? NSNumber else { return value(from: object) }
        switch type {
        case .booleanAttributeType: return .bool(number.boolValue)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return .integer(number.int64Value)
        case .doubleAttributeType, .floatAttributeType: return .double(number.nearestDouble)
        default: return value(from: object)
        }
    }

    /// Returns the object as a constant of its dynamic type; nil if it cannot be archived.
    static func value(from object: Any) -> ModelValue? {
        if let text = object as? String, Swift.type(of: object) == String.self { return .string(text) }
        return switch object {
        case let number as NSDecimalNumber: .decimal(number.decimalValue)
        case let number as NSNumber: number.constant
        case let text as String: .string(text)
        case let date as Date: .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: .data(data)
        case let uuid as UUID: .uuid(uuid)
        case let url as URL: .url(url.absoluteString)
        case let values as [Any]: .array(values.compactMap { value(from: $0) })
        case let values as [String: Any]: .dictionary(values.compactMapValues { value(from: $0) })
        default: archived(object).map(ModelValue.archive)
        }
    }

    /// Returns the object in an archive, or nil. Allows only property-list classes, although archived defaults come from the
    /// program's own model.
    private static func unarchived(_ data: Data) -> Any? {
        let classes: [AnyClass] = [
            NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self,
            NSURL.self, NSSet.self, NSOrderedSet.self, NSNull.self,
        ]
        return (try? KeyedArchive.object(from: data, allowing: classes)) ?? nil
    }

    private static func archived(_ object: Any) -> Data? {
        try? KeyedArchive.data(of: object, allowing: nil)
    }
}

extension NSNumber {
    /// The number as a constant of the type from which it was created.
    fileprivate var constant: ModelValue {
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(doubleValue)
        default: .integer(int64Value)
        }
    }
}
