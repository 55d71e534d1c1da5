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
    /// The attribute that identifies objects at the top level of an import, or `nil`.
    ///
    /// The nearest entity up the superentity chain decides, this one first: by the attribute its userInfo names, else
    /// by its attribute `<entityName>ID` with a lower-case first letter. A userInfo entry that names no attribute means
    /// that there is no key, as in MagicalRecord 2.4, which did not ask superentities.
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

    /// `<entityName>ID` with a lower-case first letter, whether or not there is such an attribute.
    var defaultImportKey: String {
        guard let name, let first = name.first else { return "ID" }
        return first.lowercased() + name.dropFirst() + "ID"
    }
}

extension NSRelationshipDescription {
    /// The attributes of the destination that may identify related objects, in the order in which a record is searched
    /// for them. An ID without a record is a value of the first.
    ///
    /// The attribute the relationship's userInfo names is the only one. Without such an entry they are
    /// `<destinationName>ID`, as in MagicalRecord 2.4, and then the destination entity's own key, which 2.4 did not ask.
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
