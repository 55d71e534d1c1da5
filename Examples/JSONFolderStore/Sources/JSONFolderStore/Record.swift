import Foundation
import MagicalRecord

/// The contents of an object's file.
struct Record {
    /// The version for optimistic locking, incremented by every save of the object.
    var version: UInt64
    /// The attributes by name, as JSON values. nil has no entry.
    var attributes: [String: Any] = [:]
    /// The references to related objects, by relationship name.
    var relationships: [String: [String]] = [:]

    init(version: UInt64) {
        self.version = version
    }

    /// Parses the contents of a file.
    ///
    /// - Throws: `NSFileReadCorruptFileError` for a file that is no record.
    init(_ data: Data, file: URL) throws {
        guard let json = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let version = json["version"] as? Int, version > 0
        else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path])
        }
        self.version = UInt64(version)
        attributes = json["attributes"] as? [String: Any] ?? [:]
        relationships = json["relationships"] as? [String: [String]] ?? [:]
    }

    var data: Data {
        get throws {
            try JSONSerialization.data(
                withJSONObject: [
                    "version": Int(version), "attributes": attributes, "relationships": relationships,
                ], options: [.prettyPrinted, .sortedKeys])
        }
    }
}

/// The conversion of attribute values from and to JSON.
enum JSONValue {
    /// Returns the JSON value of an attribute's value.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` for a type this store does not support.
    static func encode(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any {
        switch value {
        case let text as String: return text
        case let date as Date: return date.timeIntervalSinceReferenceDate
        case let data as Data: return data.base64EncodedString()
        case let uuid as UUID: return uuid.uuidString
        case let url as URL: return url.absoluteString
        case let decimal as NSDecimalNumber: return decimal.stringValue
        case let number as NSNumber: return number
        default: throw unsupported(attribute)
        }
    }

    /// Returns the attribute's value of a JSON value.
    ///
    /// - Throws: `NSFileReadCorruptFileError` if the value is not of the attribute's type,
    ///   `NSPersistentStoreIncompatibleSchemaError` for a type this store does not support.
    static func decode(_ value: Any, _ attribute: NSAttributeDescription, file: URL) throws -> Any {
        let decoded: Any? =
            switch attribute.attributeType {
            case .stringAttributeType: value as? String
            case .dateAttributeType:
                (value as? NSNumber).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
            case .binaryDataAttributeType: (value as? String).flatMap { Data(base64Encoded: $0) }
            case .UUIDAttributeType: (value as? String).flatMap { UUID(uuidString: $0) }
            case .URIAttributeType: (value as? String).flatMap { URL(string: $0) }
            case .decimalAttributeType: (value as? String).map { NSDecimalNumber(string: $0) }
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
                .floatAttributeType, .booleanAttributeType:
                value as? NSNumber
            default: throw unsupported(attribute)
            }
        guard let decoded else {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [
                    NSFilePathErrorKey: file.path,
                    NSLocalizedFailureReasonErrorKey: "“\(attribute.name)” has a value of another type.",
                ])
        }
        return decoded
    }

    private static func unsupported(_ attribute: NSAttributeDescription) -> CocoaError {
        CocoaError(
            CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError),
            userInfo: [
                NSLocalizedFailureReasonErrorKey: "A folder of JSON files cannot keep values like “\(attribute.name)”."
            ])
    }
}
