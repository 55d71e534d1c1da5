import CoreData

/// A value of a record during an import: dictionaries and objects have keys; texts and numbers are plain identities without
/// keys.
public protocol MagicalRecordImportable {}

extension NSObject: MagicalRecordImportable {}
extension Dictionary: MagicalRecordImportable {}
extension String: MagicalRecordImportable {}
extension Int: MagicalRecordImportable {}

extension MagicalRecordImportable {
    /// Returns the first key path under which this record has a value for the attribute, or nil.
    @discardableResult
    public func mr_lookupKey(forAttribute attributeInfo: NSAttributeDescription) -> String? {
        attributeInfo.importPaths.path(in: Payload(self))
    }

    /// Returns the record's value for the attribute without converting it, or nil.
    @discardableResult
    public func mr_value(forAttribute attributeInfo: NSAttributeDescription) -> Any? {
        attributeInfo.importPaths.value(in: Payload(self))
    }

    /// Returns the key path of the record's identity for the relationship's destination; nil for a text or number.
    @discardableResult
    public func mr_lookupKey(forRelationship relationshipInfo: NSRelationshipDescription) -> String? {
        if isPlainID { return nil }
        let (keys, payload) = (relationshipInfo.importKeyAttributes, Payload(self))
        let key = keys.first { $0.importLookUpPaths.hasValue(in: payload) } ?? keys.first
        return key.map { $0.importLookUpPaths.path(in: payload) ?? $0.name }
    }

    /// Returns the record's identity for the relationship's destination, or nil; a text or number is its own identity.
    @discardableResult
    public func mr_relatedValue(forRelationship relationshipInfo: NSRelationshipDescription) -> Any? {
        if isPlainID { return self }
        return mr_lookupKey(forRelationship: relationshipInfo).flatMap { PayloadPath($0).value(in: Payload(self)) }
    }

    private var isPlainID: Bool { self is String || self is NSNumber || self is NSString }
}

extension NSString {
    /// Returns the text with its first letter in upper case.
    #if canImport(ObjectiveC)
    @objc(MR_capitalizedFirstCharacterString)
    #endif
    @discardableResult
    public func mr_capitalizedFirstCharacter() -> String { String(describing: self).capitalizedFirst }
}

extension String {
    /// Returns the text with its first letter in upper case.
    @discardableResult
    public func mr_capitalizedFirstCharacter() -> String { capitalizedFirst }
}

extension NSAttributeDescription {
    /// Returns nil: attributes have no import key.
    #if canImport(ObjectiveC)
    @objc(MR_primaryKey)
    #endif
    @discardableResult
    public func mr_primaryKey() -> String? { nil }

    /// Returns the record's value at a key path, converted to this attribute's type; nil if there is none or it cannot be
    /// converted.
    #if canImport(ObjectiveC)
    @objc(MR_valueForKeyPath:fromObjectData:)
    #endif
    @discardableResult
    public func mr_value(forKeyPath keyPath: String, fromObjectData objectData: Any) -> Any? {
        guard let value = PayloadPath(keyPath).value(in: Payload(objectData)) else { return nil }
        return MagicalRecord.reporting { try ValueConverter(self).convert(value) }?.boxed
    }
}

extension NSRelationshipDescription {
    /// Returns the name of the attribute that identifies related objects: the userInfo's `relatedByAttribute`, else
    /// `<destinationName>ID`.
    ///
    /// If the destination entity has no such attribute, returns the destination's own import key, which MagicalRecord 2.4 did
    /// not consult.
    #if canImport(ObjectiveC)
    @objc(MR_primaryKey)
    #endif
    @discardableResult
    public func mr_primaryKey() -> String {
        importText(kMagicalRecordImportRelationshipLinkedByKey) ?? importKeyAttributes.first?.name
            ?? destinationEntity?.defaultImportKey ?? ""
    }
}

extension NSEntityDescription {
    /// Returns the attribute that identifies records at the top level, or nil if there is none.
    ///
    /// This is the attribute named by `relatedByAttribute` in the entity's userInfo, else `<entityName>ID`, else the import key
    /// of the nearest superentity that has one (MagicalRecord 2.4 did not consult superentities).
    #if canImport(ObjectiveC)
    @objc(MR_primaryAttributeToRelateBy)
    #endif
    @discardableResult
    public func mr_primaryAttributeToRelateBy() -> NSAttributeDescription? { importKeyAttribute }

    /// Creates an object of this entity in a context, on the context's queue.
    #if canImport(ObjectiveC)
    @objc(MR_createInstanceInContext:)
    #endif
    @discardableResult
    public func mr_createInstance(in context: NSManagedObjectContext) -> NSManagedObject {
        context.runAndWait { makeObject(in: context) }
    }

    /// Returns the attribute with a name, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_attributeDescriptionForName:)
    #endif
    @discardableResult
    public func mr_attributeDescription(forName name: String) -> NSAttributeDescription? { attributesByName[name] }
}
