import CoreData

/// The keys of imports in the userInfo of a model, and their special values.
enum ImportKey {
    static let dateFormat = "dateFormat"
    static let defaultDateFormat = "yyyy-MM-dd'T'HH:mm:ssz"
    static let unixTime = "UnixTime"
    static let keyPath = "mappedKeyName"
    /// The number of the last fallback key path plus one.
    static let keyPathLimit = 10
    static let valueClassName = "attributeValueClassName"
    static let identifyingAttribute = "relatedByAttribute"
    static let usesDefaultValue = "useDefaultValueWhenNotPresent"
}

extension NSPropertyDescription {
    /// Returns a text in the userInfo, or nil.
    func importText(_ key: String) -> String? { userInfo?[key] as? String }
}

extension NSEntityDescription {
    /// The attribute that identifies objects at the top level of an import, or nil.
    ///
    /// Determined by the first entity, from this one upward, that has either a userInfo entry naming the attribute or an
    /// attribute ``defaultImportKey``. A userInfo entry without a matching attribute means that there is no key, as in
    /// MagicalRecord 2.4, which did not consult superentities.
    var importKeyAttribute: NSAttributeDescription? {
        for entity in sequence(first: self, next: \.superentity) {
            let given = entity.userInfo?[ImportKey.identifyingAttribute] as? String
            if let given { return attributesByName[given] }
            let key = entity.defaultImportKey
            if entity.attributesByName[key] != nil { return attributesByName[key] }
        }
        return nil
    }

    /// `<entityName>ID` with a lower-case first letter, even if there is no such attribute.
    var defaultImportKey: String { MR_primaryKeyNameFromString(name ?? "") }
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
        if let given = importText(ImportKey.identifyingAttribute) { return [attributes[given]].compactMap(\.self) }
        let named = attributes[destinationEntity.defaultImportKey]
        let own = destinationEntity.importKeyAttribute
        return [named, own?.name == named?.name ? nil : own].compactMap { $0 }
    }
}
