import CoreData

/// The conversion between the values of a property and those of its attribute.
protocol StoredCoding {
    /// True if values are stored as JSON, or in the members of a composite attribute.
    static var isDocument: Bool { get }

    /// Returns the property's value for a value of the attribute.
    ///
    /// - Throws: the reason why there is none.
    static func value(from stored: Any, of place: StoredPlace) throws -> Any

    /// Returns the attribute's value for a value of the property, or nil for nil.
    ///
    /// - Throws: the reason why the value cannot be stored.
    static func stored(_ value: Any, of place: StoredPlace) throws -> Any?

    /// Returns true if two values of the attribute stand for the same value, though they differ.
    static func isEqual(_ new: Any?, to present: Any?, of place: StoredPlace) -> Bool
}

/// Stores a value as its raw value.
enum RawStoring<Raw: RawRepresentable>: StoredCoding
where Raw.RawValue: MagicalRecord.PredicateValue & MagicalRecord.AttributeValue {
    static var isDocument: Bool { false }

    static func value(from stored: Any, of place: StoredPlace) throws -> Any {
        guard let raw = Raw.RawValue(_stored: stored) else {
            throw StoredFailure("It is not of the type \(Raw.RawValue.self).")
        }
        guard let value = Raw(rawValue: raw) else { throw StoredFailure("\(Raw.self) has no case for it.") }
        return value
    }

    static func stored(_ value: Any, of place: StoredPlace) throws -> Any? {
        // The value may be optional.
        let constant = (value as? Raw)?.rawValue.predicateConstant
        guard let number = constant as? NSNumber else { return constant }
        let integer = Int64(exactly: number)
        // Small integers fit every type, so that most values need no attribute.
        if let integer, Int16(exactly: integer) != nil { return constant }
        if let range = place.attribute?.attributeType.integerRange, !(integer.map(range.contains) ?? false) {
            throw StoredFailure("\(number) is outside the range of \(place). Give the attribute a larger type.")
        }
        return constant
    }

    static func isEqual(_ new: Any?, to present: Any?, of place: StoredPlace) -> Bool { false }
}

/// Stores a value as JSON, or in the members of a composite attribute.
enum DocumentStoring<Document: Codable>: StoredCoding {
    static var isDocument: Bool { true }

    static func value(from stored: Any, of place: StoredPlace) throws -> Any {
        switch stored {
        case let data as Data: return try StoredJSON.decode(Document.self, data)
        case let text as String: return try StoredJSON.decode(Document.self, Data(text.utf8))
        case let members as [String: Any]:
            if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *),
                let composite = place.attribute as? NSCompositeAttributeDescription
            {
                let json = CompositeDocument.json(of: members, composite)
                return try StoredJSON.decode(Document.self, try JSONSerialization.data(withJSONObject: json))
            }
        default: break
        }
        throw wrongType(of: place)
    }

    static func stored(_ value: Any, of place: StoredPlace) throws -> Any? {
        guard let value = value as? Document else { return nil }
        switch place.attribute?.attributeType {
        case .binaryDataAttributeType: return try StoredJSON.encode(value)
        case .stringAttributeType: return String(decoding: try StoredJSON.encode(value), as: UTF8.self)
        default: break
        }
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *),
            let composite = place.attribute as? NSCompositeAttributeDescription
        else { throw wrongType(of: place) }
        let json = try JSONSerialization.jsonObject(with: try StoredJSON.encode(value), options: .fragmentsAllowed)
        guard let members = json as? [String: Any] else {
            throw StoredFailure("A composite attribute stores structures; store \(Document.self) as Binary Data.")
        }
        return try CompositeDocument.members(of: members, composite)
    }

    static func isEqual(_ new: Any?, to present: Any?, of place: StoredPlace) -> Bool {
        guard let new, let present, let value = try? value(from: present, of: place) else { return false }
        // Other writers may order keys in another way.
        guard let normalized = try? stored(value, of: place) else { return false }
        return ImportedValue.other(new).isEqual(to: normalized)
    }

    private static func wrongType(of place: StoredPlace) -> StoredFailure {
        StoredFailure(
            "\(Document.self) is stored as JSON. Give \(place) the type Binary Data or String, or make it a composite attribute."
        )
    }
}

/// The JSON of stored values.
enum StoredJSON {
    /// Returns the same bytes for the same value, except for sets: equal ones may be encoded in different orders.
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    /// Returns a value as `JSONEncoder` writes it; values that JSON holds are returned unchanged.
    static func json(_ value: Any) -> Any {
        switch value {
        case let list as [Any]: list.map(json)
        case let members as [String: Any]: members.mapValues(json)
        case let date as Date: date.timeIntervalSinceReferenceDate
        case let uuid as UUID: uuid.uuidString
        case let url as URL: url.absoluteString
        case let data as Data: data.base64EncodedString()
        default: value
        }
    }

    static func decode<Document: Decodable>(_ type: Document.Type, _ data: Data) throws -> Document {
        try decoder.decode(type, from: data)
    }

    /// Reads dates as they are encoded, in seconds since the reference date, and as text, as imported records have them.
    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
            let text = try container.decode(String.self)
            guard let date = ImportDates(pattern: nil).date(from: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no date.")
            }
            return date
        }
        return decoder
    }
}
