import Foundation

/// Reads and writes objects' values in the form conflict snapshots have: attributes and to-one relationships, the
/// latter as object IDs.
enum ConflictValues {
    /// Returns the object's values without those that are nil, or nil for a fault, which is not fired. A value without a
    /// registered transformer is returned as `Data`.
    static func snapshot(
        of object: NSManagedObject, where isWanted: (String) -> Bool = { _ in true }
    ) -> [String: Any]? {
        guard !object._state.contains(.fault) else { return nil }
        var snapshot: [String: Any] = [:]
        for name in keys(of: object.entity) where isWanted(name) { snapshot[name] = value(name, of: object) }
        return snapshot
    }

    /// Returns the names of the properties that snapshots contain.
    static func keys(of entity: NSEntityDescription) -> [String] {
        entity.orderedProperties.compactMap { property in
            switch property {
            case let relationship as NSRelationshipDescription: relationship.isToMany ? nil : property.name
            case is NSAttributeDescription: property.isTransient ? nil : property.name
            default: nil
            }
        }
    }

    /// Returns one value or nil. Key paths reach into composite attributes.
    static func value(_ name: String, of object: NSManagedObject) -> Any? {
        let path = name.split(separator: ".").map(String.init)
        guard let first = path.first else { return nil }
        var value = object.isUnreadable(first) ? object.unreadableValue(forKey: first) : object.value(forKey: first)
        for key in path.dropFirst() { value = (value as? [String: Any])?[key] }
        return (value as? NSManagedObject)?.objectID ?? value
    }

    /// Sets one value given as in a snapshot. Ignores derived attributes, which the store computes.
    static func set(_ value: Any?, for name: String, of object: NSManagedObject) {
        if object.entity.attributesByName[name] is NSDerivedAttributeDescription { return }
        // An unreadable value has not changed here, and the object has been refreshed.
        if object.isUnreadable(name) { return }
        switch value {
        case let id as NSManagedObjectID: object.setValue(object.managedObjectContext?.object(with: id), forKey: name)
        case is NSNull: object.setValue(nil, forKey: name)
        default: object.setValue(value, forKey: name)
        }
    }

    /// Returns true if two values of snapshots are equal; nil equals `NSNull`.
    static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        AttributeValues.areEqual(one is NSNull ? nil : one, other is NSNull ? nil : other)
    }
}
