import CoreData

/// Converts the values of records for a stored property. A value that the property could not read is an error.
struct StoredConversion: @unchecked Sendable {
    private let coding: any StoredCoding.Type
    private let converter: ValueConverter
    private let key: String
    private let isComposite: Bool
    /// Kept alive by its model, which every user of the plan holds.
    private unowned let entity: NSEntityDescription

    private var place: StoredPlace { StoredPlace(entity: entity, key: key) }

    /// Returns the conversions for the stored properties of an entity's class, by the names of their attributes.
    static func all(of entity: NSEntityDescription) -> [String: StoredConversion] {
        let codings = StoredProperties.codings(of: entity)
        if codings.isEmpty { return [:] }
        let attributes = entity.attributesByName
        return Dictionary(
            uniqueKeysWithValues: codings.compactMap { key, coding in
                attributes[key].map { (key, StoredConversion($0, of: entity, coding)) }
            })
    }

    private init(
        _ attribute: NSAttributeDescription, of entity: NSEntityDescription, _ coding: any StoredCoding.Type
    ) {
        (self.coding, self.entity, key, converter) = (coding, entity, attribute.name, ValueConverter(attribute))
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            isComposite = attribute is NSCompositeAttributeDescription
        } else {
            isComposite = false
        }
    }

    /// Returns the attribute's value as the property would store it. Errors name the attribute.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``.
    func convert(_ value: Any, readsLeadingNumbers: Bool) throws -> ImportedValue {
        if ImportedValue.isNull(value) { return .null }
        do {
            if coding.isDocument, !isComposite { return try stored(document(value)) }
            // A fraction is no raw value of a whole number.
            let converted = try converter.convert(value, identifies: true, readsLeadingNumbers: readsLeadingNumbers)
            guard let boxed = converted.boxed else { return .null }
            let decoded = try coding.value(from: boxed, of: place)
            return isComposite ? try stored(decoded) : converted
        } catch let error as MagicalRecordError {
            throw error
        } catch {
            throw refusal(value, error)
        }
    }

    private func stored(_ decoded: Any) throws -> ImportedValue {
        switch try coding.stored(decoded, of: place) {
        case nil: .null
        case let text as String: .text(text)
        case let value?: .other(value)
        }
    }

    /// Returns the value of a property for a JSON value, or for the text of one. Texts may be in base64, as other data is.
    private func document(_ value: Any) throws -> Any {
        let place = place
        if let data = value as? Data { return try coding.value(from: data, of: place) }
        let json = JSONSerialization.isValidJSONObject([value]) ? value : StoredJSON.json(value)
        guard JSONSerialization.isValidJSONObject([json]) else { throw StoredFailure("It is not JSON.") }
        do {
            let data = try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)
            return try coding.value(from: data, of: place)
        } catch {
            guard let text = ValueConverter.string(json) else { throw error }
            let data = [Data(text.utf8), Data(base64Encoded: text) ?? Data()].first { Self.parsed($0) != nil }
            guard let data else { throw error }
            return try coding.value(from: data, of: place)
        }
    }

    private static func parsed(_ json: Data) -> Any? {
        try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
    }

    private func refusal(_ value: Any, _ error: any Error) -> MagicalRecordError {
        var (reason, path) = ("\(error)", [any CodingKey]())
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            (reason, path) = ("There is no value for \"\(key.stringValue)\".", context.codingPath + [key])
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (reason, path) = (context.debugDescription, context.codingPath)
        default: break
        }
        var refusal = MagicalRecordError(
            .unconvertibleValue, "\(ValueConverter.described(value)) does not fit the property: \(reason)",
            advice: "Correct the value, or change the property's type.", key: key)
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        if !place.isEmpty { refusal.path = place.hasPrefix(".") ? String(place.dropFirst()) : place }
        return refusal
    }
}

// Properties are read and set by the attribute's stored value, as by `Stored`.
extension StoredConversion {
    /// Sets the attribute unless the object has an equal value; returns true if it was set.
    func update(_ value: ImportedValue, of object: NSManagedObject) -> Bool {
        object.setStored(value.boxed, coding, of: place)
    }

    /// Returns the attribute's value for an export. A document is a JSON value; one that is not JSON is returned as it is stored.
    func exportedValue(of object: NSManagedObject) -> (value: Any, isDocument: Bool)? {
        guard let stored = object.primitive(key) else { return nil }
        guard coding.isDocument, let data = stored as? Data ?? (stored as? String).map({ Data($0.utf8) }),
            let json = Self.parsed(data)
        else { return (stored, false) }
        return (json, true)
    }
}
