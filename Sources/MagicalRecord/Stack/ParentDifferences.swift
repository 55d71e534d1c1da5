import CoreData

extension NSManagedObjectContext {
    /// Returns the IDs of objects that exist in the parent and are not about to be deleted there. For the context's queue.
    func thoseOfParent(_ ids: Set<NSManagedObjectID>) -> Set<NSManagedObjectID> {
        guard let parent else { return [] }
        return parent.runAndWait {
            ids.filter { id in
                do { return try !parent.existingObject(with: id).isDeleted } catch {
                    // A failed read does not mean that the object is missing.
                    return (error as NSError).code != NSManagedObjectReferentialIntegrityError
                }
            }
        }
    }
}

#if canImport(ObjectiveC)
/// The objects that a context has saved and that differ in its parent. The package's own Core Data implements this itself.
struct ParentDifferences {
    /// Objects with other values or members in the parent.
    var changed: Set<NSManagedObjectID> = []
    /// Objects that no longer exist in the parent.
    var lost: Set<NSManagedObjectID> = []
}

extension NSManagedObjectContext {
    /// Compares the context's objects, without their unsaved changes, with those of its parent.
    func differencesFromParent(of objects: some Sequence<NSManagedObject>, amongOthers _: Bool) -> ParentDifferences {
        var result = ParentDifferences()
        guard let parent else { return result }
        for object in objects where object.managedObjectContext === self && !object.isInserted {
            let id = object.objectID
            let shown = object.isFault ? [:] : SavedValues.shown(by: object)
            let keys = Array(shown.keys)
            let values: Unchecked<[String: NSObject]?> = parent.runAndWait {
                guard let original = try? parent.existingObject(with: id) else { return Unchecked(nil) }
                return Unchecked(original.isDeleted ? shown : SavedValues.present(keys, of: original))
            }
            guard let values = values.value else {
                result.lost.insert(id)
                continue
            }
            if values != shown { result.changed.insert(id) }
        }
        return result
    }
}

/// Property values in a form that can be compared across contexts.
private enum SavedValues {
    /// Returns an object's values without its unsaved changes: persistent attributes, to-one relationships, and the to-many
    /// relationships that are not faults.
    static func shown(by object: NSManagedObject) -> [String: NSObject] {
        let keys = object.entity.propertiesByName.compactMap { name, property -> String? in
            switch property {
            case _ where property.isTransient: nil
            case let relationship as NSRelationshipDescription:
                relationship.isToMany && object.hasFault(forRelationshipNamed: name) ? nil : name
            case is NSAttributeDescription: name
            default: nil
            }
        }
        return object.committedValues(forKeys: keys).mapValues(comparable)
    }

    static func present(_ keys: [String], of object: NSManagedObject) -> [String: NSObject] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, comparable(object.value(forKey: $0) ?? NSNull())) })
    }

    private static func comparable(_ value: Any) -> NSObject {
        switch value {
        case let object as NSManagedObject: object.objectID
        case let members as NSOrderedSet: members.array.map(comparable) as NSArray
        case let members as NSSet: NSSet(array: members.allObjects.map(comparable))
        case let value as NSObject: value
        default: NSNull()
        }
    }
}
#endif
