import CoreData

/// What a value of a record can be asked for in an import: dictionaries and objects look their keys up, a text or a
/// number is an id and has none.
public protocol MagicalRecordImportable {}

extension NSObject: MagicalRecordImportable {}
extension Dictionary: MagicalRecordImportable {}
extension String: MagicalRecordImportable {}
extension Int: MagicalRecordImportable {}

extension MagicalRecordImportable {
    /// The first key path under which this record has a value for the attribute.
    @discardableResult
    public func mr_lookupKey(forAttribute attributeInfo: NSAttributeDescription) -> String? {
        attributeInfo.importPaths.path(in: Payload(self))
    }

    /// The value this record has for the attribute, as it is.
    @discardableResult
    public func mr_value(forAttribute attributeInfo: NSAttributeDescription) -> Any? {
        attributeInfo.importPaths.value(in: Payload(self))
    }

    /// The key path under which this record has what identifies an object of the relationship's destination.
    @discardableResult
    public func mr_lookupKey(forRelationship relationshipInfo: NSRelationshipDescription) -> String? {
        if isPlainID { return nil }
        let (keys, payload) = (relationshipInfo.importKeyAttributes, Payload(self))
        let key = keys.first { $0.importLookUpPaths.hasValue(in: payload) } ?? keys.first
        return key.map { $0.importLookUpPaths.path(in: payload) ?? $0.name }
    }

    /// What identifies an object of the relationship's destination in this record; a text or a number is that itself.
    @discardableResult
    public func mr_relatedValue(forRelationship relationshipInfo: NSRelationshipDescription) -> Any? {
        if isPlainID { return self }
        return mr_lookupKey(forRelationship: relationshipInfo).flatMap { PayloadPath($0).value(in: Payload(self)) }
    }

    private var isPlainID: Bool { self is String || self is NSNumber || self is NSString }
}

extension NSString {
    /// The text with its first letter in upper case.
    #if canImport(ObjectiveC)
    @objc(MR_capitalizedFirstCharacterString)
    #endif
    @discardableResult
    public func mr_capitalizedFirstCharacter() -> String { String(describing: self).capitalizedFirst }
}

extension String {
    /// The text with its first letter in upper case.
    @discardableResult
    public func mr_capitalizedFirstCharacter() -> String { capitalizedFirst }
}

extension NSAttributeDescription {
    /// Nothing; attributes have no key of their own.
    #if canImport(ObjectiveC)
    @objc(MR_primaryKey)
    #endif
    @discardableResult
    public func mr_primaryKey() -> String? { nil }

    /// The value a record has at a key path, converted to this attribute's type; `nil` when there is none or it cannot
    /// be converted.
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
    /// The name of the attribute that identifies related objects: what `relatedByAttribute` in this relationship's
    /// userInfo says, else `<destinationName>ID`.
    ///
    /// Where the destination entity has no such attribute, its own key, if it has one; MagicalRecord 2.4 did not ask for
    /// that.
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
    /// The attribute that identifies records at the top level; `nil` when there is none.
    ///
    /// It is the one that `relatedByAttribute` in this entity's userInfo names, else `<entityName>ID`. An entity that has
    /// neither has the key of its nearest superentity that has one; in MagicalRecord 2.4 it had none.
    #if canImport(ObjectiveC)
    @objc(MR_primaryAttributeToRelateBy)
    #endif
    @discardableResult
    public func mr_primaryAttributeToRelateBy() -> NSAttributeDescription? { importKeyAttribute }

    /// A new object of this entity.
    #if canImport(ObjectiveC)
    @objc(MR_createInstanceInContext:)
    #endif
    @discardableResult
    public func mr_createInstance(in context: NSManagedObjectContext) -> NSManagedObject {
        context.runAndWait { makeObject(in: context) }
    }

    /// The attribute of that name.
    #if canImport(ObjectiveC)
    @objc(MR_attributeDescriptionForName:)
    #endif
    @discardableResult
    public func mr_attributeDescription(forName name: String) -> NSAttributeDescription? { attributesByName[name] }
}
