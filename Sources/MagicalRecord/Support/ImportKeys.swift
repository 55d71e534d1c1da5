import CoreData

/// `dateFormat` in an attribute's userInfo: the pattern of its dates, or ``kMagicalRecordImportUnixTimeString``.
public let kMagicalRecordImportCustomDateFormatKey = "dateFormat"
/// The date pattern of attributes without `dateFormat`.
public let kMagicalRecordImportDefaultDateFormatString = "yyyy-MM-dd'T'HH:mm:ssz"
/// The value of `dateFormat` for numbers that are milliseconds since 1970.
public let kMagicalRecordImportUnixTimeString = "UnixTime"
/// `mappedKeyName` in an attribute's userInfo: the key path of its value; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportAttributeKeyMapKey = "mappedKeyName"
/// `attributeValueClassName` in an attribute's userInfo: a name ending in `Color` converts values to colors, any other disables
/// conversion.
public let kMagicalRecordImportAttributeValueClassNameKey = "attributeValueClassName"
/// `mappedKeyName` in a relationship's userInfo: the key path of its data; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportRelationshipMapKey = "mappedKeyName"
/// `relatedByAttribute` in the userInfo of an entity or relationship: the attribute that identifies objects.
public let kMagicalRecordImportRelationshipLinkedByKey = "relatedByAttribute"
/// `type`; not used.
public let kMagicalRecordImportRelationshipTypeKey = "type"
/// `useDefaultValueWhenNotPresent` in an attribute's userInfo: sets the model's default if a record has no value.
public let kMagicalRecordImportAttributeUseDefaultValueWhenNotPresent = "useDefaultValueWhenNotPresent"
/// The number of the last fallback key plus one.
public let kMagicalRecordImportMaximumAttributeFailoverDepth = 10

extension NSPropertyDescription {
    /// Returns a text in the userInfo, or nil.
    func importText(_ key: String) -> String? { userInfo?[key] as? String }
}

extension NSEntityDescription {
    /// The attribute that identifies objects at the top level of an import, or nil.
    ///
    /// Determined by the first entity, from this one upward, that has either a userInfo entry naming the attribute or an
    /// attribute `<entityName>ID` with a lower-case first letter. A userInfo entry without a matching attribute means that
    /// there is no key, as in MagicalRecord 2.4, which did not consult superentities.
    var importKeyAttribute: NSAttributeDescription? {
        var level: NSEntityDescription? = self
        while let entity = level {
            if let given = entity.userInfo?[kMagicalRecordImportRelationshipLinkedByKey] as? String {
                return attributesByName[given]
            }
            if entity.attributesByName[entity.defaultImportKey] != nil {
                return attributesByName[entity.defaultImportKey]
            }
            level = entity.superentity
        }
        return nil
    }

    /// `<entityName>ID` with a lower-case first letter, even if there is no such attribute.
    var defaultImportKey: String {
        guard let name, let first = name.first else { return "ID" }
        return first.lowercased() + name.dropFirst() + "ID"
    }
}

extension NSRelationshipDescription {
    /// The attributes of the destination that may identify related objects, in the order in which they are looked up in a
    /// record. A plain value in place of a record is a value of the first.
    ///
    /// If the relationship's userInfo names an attribute, only that one. Otherwise `<destinationName>ID`, as in MagicalRecord
    /// 2.4, and the destination entity's own key, which 2.4 did not use.
    var importKeyAttributes: [NSAttributeDescription] {
        guard let destinationEntity else { return [] }
        let attributes = destinationEntity.attributesByName
        if let given = importText(kMagicalRecordImportRelationshipLinkedByKey) {
            return attributes[given].map { [$0] } ?? []
        }
        let named = attributes[destinationEntity.defaultImportKey]
        let own = destinationEntity.importKeyAttribute
        return [named, own?.name == named?.name ? nil : own].compactMap { $0 }
    }
}
