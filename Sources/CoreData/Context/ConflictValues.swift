import Foundation

/// Reads and writes objects' values in the form conflict snapshots have: attributes and to-one relationships, the
/// latter as object IDs.
enum ConflictValues {
    /// The object's values; properties that are nil are left out. A fault is not fired and gives nil. A value whose transformer
    /// is missing is its bytes.
    static func snapshot(
        of object: NSManagedObject, where isWanted: (String) -> Bool = { _ in true }
    ) -> [String: Any]? {
        guard !object._state.contains(.fault) else { return nil }
        var snapshot: [String: Any] = [:]
        for name in keys(of: object.entity) where isWanted(name) { snapshot[name] = value(name, of: object) }
        return snapshot
    }

    /// Names of the properties snapshots hold.
    static func keys(of entity: NSEntityDescription) -> [String] {
        entity.orderedProperties.compactMap { property in
            switch property {
            case let relationship as NSRelationshipDescription: relationship.isToMany ? nil : property.name
            case is NSAttributeDescription: property.isTransient ? nil : property.name
            default: nil
            }
        }
    }

    /// One value, or nil. Dotted names reach into composite attributes.
    static func value(_ name: String, of object: NSManagedObject) -> Any? {
        let path = name.split(separator: ".").map(String.init)
        guard let first = path.first else { return nil }
        var value = object.isUnreadable(first) ? object.unreadableValue(forKey: first) : object.value(forKey: first)
        for key in path.dropFirst() { value = (value as? [String: Any])?[key] }
        return (value as? NSManagedObject)?.objectID ?? value
    }

    /// Sets one value given as in a snapshot. Those that the store computes are left to it.
    static func set(_ value: Any?, for name: String, of object: NSManagedObject) {
        if object.entity.attributesByName[name] is NSDerivedAttributeDescription { return }
        // It has not changed here, and the object has been refreshed.
        if object.isUnreadable(name) { return }
        switch value {
        case let id as NSManagedObjectID: object.setValue(object.managedObjectContext?.object(with: id), forKey: name)
        case is NSNull: object.setValue(nil, forKey: name)
        default: object.setValue(value, forKey: name)
        }
    }

    /// Whether two values of snapshots are the same; nil and `NSNull` are.
    static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        AttributeValues.areEqual(one is NSNull ? nil : one, other is NSNull ? nil : other)
    }
}
