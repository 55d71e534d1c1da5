import PredicateFormat

// The key paths that predicates can use on descriptions: `$FETCHED_PROPERTY.userInfo.limit`, `entity.name`.

extension NSPropertyDescription: KeyValueCoding {
    /// Returns the value of one of the description's properties; nil for other keys.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "entity": entity
        case "userInfo": userInfo
        case "isOptional", "optional": isOptional
        case "isTransient", "transient": isTransient
        case "renamingIdentifier": renamingIdentifier
        case "versionHashModifier": versionHashModifier
        default: nil
        }
    }
}

extension NSEntityDescription: KeyValueCoding {
    /// Returns the value of one of the description's properties; nil for other keys.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "managedObjectClassName": managedObjectClassName
        case "isAbstract", "abstract": isAbstract
        case "superentity": superentity
        case "userInfo": userInfo
        case "renamingIdentifier": renamingIdentifier
        case "versionHashModifier": versionHashModifier
        default: nil
        }
    }
}
