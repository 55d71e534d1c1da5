/// The type of an attribute. Raw values are those of `NSAttributeType`.
public enum AttributeType: UInt32, Sendable, Hashable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    /// The spelling in XML models. `objectID` has none; its name is used in messages only.
    public var xmlName: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }

    /// Looks up a type by its spelling in XML models.
    public init?(xmlName: String) {
        guard let type = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
        self = type
    }

    /// The class of the values, equal to `NSAttributeDescription.attributeValueClassName`; `nil` if the attribute specifies it
    /// (transformable) or there is none.
    public var valueClassName: String? {
        switch self {
        case .undefined, .transformable: nil
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .objectID: "NSManagedObjectID"
        case .composite: "NSDictionary"
        }
    }

    /// True if Xcode offers a scalar Swift type.
    public var hasScalarForm: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean, .date: true
        default: false
        }
    }

    var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: true
        default: false
        }
    }
}
