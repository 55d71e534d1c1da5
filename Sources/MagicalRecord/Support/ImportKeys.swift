import CoreData

/// `dateFormat` in an attribute's userInfo: the pattern of its dates, or ``kMagicalRecordImportUnixTimeString``.
public let kMagicalRecordImportCustomDateFormatKey = "dateFormat"
/// The pattern of dates that have no other.
public let kMagicalRecordImportDefaultDateFormatString = "yyyy-MM-dd'T'HH:mm:ssz"
/// The value of `dateFormat` that says that numbers are milliseconds since 1970.
public let kMagicalRecordImportUnixTimeString = "UnixTime"
/// `mappedKeyName` in an attribute's userInfo: the key path of its value; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportAttributeKeyMapKey = "mappedKeyName"
/// `attributeValueClassName` in an attribute's userInfo: a name ending in `Color` reads colours, any other switches
/// conversion off.
public let kMagicalRecordImportAttributeValueClassNameKey = "attributeValueClassName"
/// `mappedKeyName` in a relationship's userInfo: the key path of its data; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportRelationshipMapKey = "mappedKeyName"
/// `relatedByAttribute` in the userInfo of an entity or relationship: the attribute that identifies objects.
public let kMagicalRecordImportRelationshipLinkedByKey = "relatedByAttribute"
/// `type`, which nothing reads.
public let kMagicalRecordImportRelationshipTypeKey = "type"
/// `useDefaultValueWhenNotPresent` in an attribute's userInfo: write the model's default when a record has no value.
public let kMagicalRecordImportAttributeUseDefaultValueWhenNotPresent = "useDefaultValueWhenNotPresent"
/// One more than the number of the last fallback key.
public let kMagicalRecordImportMaximumAttributeFailoverDepth = 10

extension NSPropertyDescription {
    /// A text in the userInfo, or `nil`.
    func importText(_ key: String) -> String? { userInfo?[key] as? String }
}

extension NSEntityDescription {
    /// The attribute that identifies objects at the top level of an import: the one the entity's userInfo names, else
    /// `<entityName>ID` with a lower-case first letter.
    var importKeyAttribute: NSAttributeDescription? {
        let given = userInfo?[kMagicalRecordImportRelationshipLinkedByKey] as? String
        return attributesByName[given ?? defaultImportKey]
    }

    var defaultImportKey: String {
        guard let name, let first = name.first else { return "ID" }
        return first.lowercased() + name.dropFirst() + "ID"
    }
}

extension NSRelationshipDescription {
    /// The attribute of the destination that identifies related objects: the one the relationship's userInfo names,
    /// else the one the destination entity's does, else `<destinationName>ID`.
    ///
    /// (The original did not look at the destination's.)
    var importKeyAttribute: NSAttributeDescription? {
        guard let destinationEntity else { return nil }
        if let given = importText(kMagicalRecordImportRelationshipLinkedByKey) {
            return destinationEntity.attributesByName[given]
        }
        return destinationEntity.importKeyAttribute
    }
}
