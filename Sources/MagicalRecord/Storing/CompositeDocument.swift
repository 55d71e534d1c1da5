import CoreData

/// Converts between JSON objects, as `JSONEncoder` writes them, and the values of composite attributes.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
enum CompositeDocument {
    /// Returns the members of a composite attribute.
    ///
    /// - Throws: the reason why a value of the JSON object cannot be stored.
    static func members(of json: [String: Any], _ composite: NSCompositeAttributeDescription) throws -> [String: Any] {
        var members: [String: Any] = [:]
        for (key, value) in json where !(value is NSNull) {
            guard let element = composite.elements.first(where: { $0.name == key }) else {
                throw StoredFailure(
                    "The composite attribute \"\(composite.name)\" has no member \"\(key)\". Add it in the model.")
            }
            members[key] = try member(value, element)
        }
        return members
    }

    private static func member(_ json: Any, _ element: NSAttributeDescription) throws -> Any {
        let member: Any? =
            switch element.attributeType {
            case .stringAttributeType: json as? String
            case .UUIDAttributeType: (json as? String).flatMap(UUID.init)
            case .URIAttributeType: (json as? String).flatMap { URL(string: $0) }
            case .binaryDataAttributeType: (json as? String).flatMap { Data(base64Encoded: $0) }
            case .dateAttributeType: number(json).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
            case .decimalAttributeType: number(json).map { NSDecimalNumber(string: $0.stringValue) }
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: integer(json, element)
            case .floatAttributeType, .doubleAttributeType: number(json)
            case .booleanAttributeType: isBoolean(json) ? json as? NSNumber : nil
            default:
                if let inner = element as? NSCompositeAttributeDescription, let json = json as? [String: Any] {
                    try members(of: json, inner)
                } else {
                    nil
                }
            }
        guard let member else {
            throw StoredFailure("\(json) does not fit the member \"\(element.name)\". Change its type in the model.")
        }
        return member
    }

    /// Returns a number, or nil for any other value, such as a Boolean.
    private static func number(_ json: Any) -> NSNumber? { isBoolean(json) ? nil : json as? NSNumber }

    private static func integer(_ json: Any, _ element: NSAttributeDescription) -> NSNumber? {
        guard let number = number(json), let integer = Int64(exactly: number),
            element.attributeType.integerRange?.contains(integer) == true
        else { return nil }
        return number
    }

    private static func isBoolean(_ json: Any) -> Bool { ObjectIdentifier(type(of: json)) == booleanType }

    /// The type that `JSONSerialization` returns for Booleans, which differs from that of numbers.
    private static let booleanType =
        (try? JSONSerialization.jsonObject(with: Data("true".utf8), options: .fragmentsAllowed))
        .map { ObjectIdentifier(type(of: $0)) }

    /// Returns the JSON object of a composite attribute's members.
    static func json(of members: [String: Any], _ composite: NSCompositeAttributeDescription) -> [String: Any] {
        var json: [String: Any] = [:]
        for element in composite.elements {
            guard let member = members[element.name], !(member is NSNull) else { continue }
            json[element.name] = value(of: member, element)
        }
        return json
    }

    private static func value(of member: Any, _ element: NSAttributeDescription) -> Any {
        switch member {
        case let number as NSNumber where element.attributeType == .booleanAttributeType: number.boolValue
        case let inner as [String: Any]:
            (element as? NSCompositeAttributeDescription).map { json(of: inner, $0) } ?? inner
        default: StoredJSON.json(member)
        }
    }
}
