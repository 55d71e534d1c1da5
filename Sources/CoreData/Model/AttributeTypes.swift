import Foundation

/// The type of an attribute's values. Raw values are Apple's and are part of version hashes.
public enum NSAttributeType: UInt, Sendable {
    /// No type: for transient attributes only, which then accept any value.
    case undefinedAttributeType = 0
    /// A 16-bit integer in an `NSNumber`.
    case integer16AttributeType = 100
    /// A 32-bit integer in an `NSNumber`.
    case integer32AttributeType = 200
    /// A 64-bit integer in an `NSNumber`.
    case integer64AttributeType = 300
    /// An `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// A `Double` in an `NSNumber`.
    case doubleAttributeType = 500
    /// A `Float` in an `NSNumber`.
    case floatAttributeType = 600
    /// A `String`.
    case stringAttributeType = 700
    /// A `Bool` in an `NSNumber`.
    case booleanAttributeType = 800
    /// A `Date`.
    case dateAttributeType = 900
    /// A `Data`.
    case binaryDataAttributeType = 1000
    /// A `UUID`.
    case UUIDAttributeType = 1100
    /// A `URL`.
    case URIAttributeType = 1200
    /// Any object that a value transformer converts to data.
    case transformableAttributeType = 1800
    /// An `NSManagedObjectID`; only as the result of an expression, never stored.
    case objectIDAttributeType = 2000
    /// A dictionary of the values of a composite attribute's elements.
    case compositeAttributeType = 2100
}

extension NSAttributeDescription {
    /// The type of an attribute as a struct: the newer form of `NSAttributeType`.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The type in its older form.
        public var rawValue: NSAttributeType

        /// Creates a type from its older form.
        public init(rawValue: NSAttributeType) {
            self.rawValue = rawValue
        }

        /// No type: for transient attributes only.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A 16-bit integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A 32-bit integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A 64-bit integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A double-precision floating-point number.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A single-precision floating-point number.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// Text.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// True or false.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// Any object that a value transformer converts to data.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// An object ID; only as the result of an expression.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A group of attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }
}

extension NSAttributeType {
    /// The class of the values, as in `attributeValueClassName`; nil if the type does not determine it.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }
}
