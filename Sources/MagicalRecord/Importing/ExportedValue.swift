import CoreData

extension ImportPlan.Attribute {
    /// Returns the JSON value from which an import reads the attribute's value of an object; nil if the object has none.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    func exported(_ attribute: NSAttributeDescription, of object: NSManagedObject) throws -> Any? {
        guard let storing else {
            return try object.value(forKey: name).map { try attribute.exported($0, of: object.entity) }
        }
        guard let (value, isDocument) = storing.exportedValue(of: object) else { return nil }
        return isDocument ? value : try attribute.exported(value, of: object.entity)
    }
}

extension NSAttributeDescription {
    /// Returns the JSON value from which an import reads a value of the attribute.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - entity: The entity of the attribute, or of the composite attribute that this one is an element of.
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    fileprivate func exported(_ value: Any, of entity: NSEntityDescription) throws -> Any {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *),
            let composite = self as? NSCompositeAttributeDescription, let members = value as? [String: Any]
        {
            return try composite.exportedMembers(members, of: entity)
        }
        switch value {
        case let text as String: return text
        case let date as Date: return exported(date)
        case let uuid as UUID: return uuid.uuidString
        case let url as URL: return url.absoluteString
        case let data as Data: return data.base64EncodedString()
        // As text: readers of JSON numbers lose digits.
        case let decimal as NSDecimalNumber: return decimal.stringValue
        case let number as NSNumber where attributeType == .booleanAttributeType: return number.boolValue
        case let number as NSNumber where number.doubleValue.isFinite: return number
        default: if !(value is NSNumber), JSONSerialization.isValidJSONObject([value]) { return value }
        }
        throw MagicalRecordError(
            .unexportableValue, "A value of class \(Swift.type(of: value)) cannot be written as JSON.",
            advice: "Leave the attribute out, with ExportOptions.excluding.", entity: entity.name, key: name)
    }

    private func exported(_ date: Date) -> Any {
        switch importText(ImportKey.dateFormat) {
        case ImportKey.unixTime: return date.timeIntervalSince1970 * 1000
        case let pattern? where pattern != ImportKey.defaultDateFormat:
            return ImportDates.formatter(pattern).string(from: date)
        default:
            // The internet format (RFC 3339), with a fraction only if the date has one: microseconds.
            let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
            let seconds = (microseconds / 1e6).rounded(.down), fraction = microseconds - seconds * 1e6
            let whole = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: seconds))
            return fraction > 0 ? "\(whole.dropLast())\(String(format: ".%06.0f", fraction))Z" : whole
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension NSCompositeAttributeDescription {
    /// Returns the members under the keys, and in the formats, from which an import reads them.
    fileprivate func exportedMembers(_ members: [String: Any], of entity: NSEntityDescription) throws -> Any {
        var record: [String: Any] = [:]
        for element in elements {
            guard let member = members[element.name], !(member is NSNull) else { continue }
            Exporter.set(try element.exported(member, of: entity), at: element.importPaths.first, in: &record)
        }
        return record
    }
}
