import CoreData

extension NSManagedObjectContext {
    /// On the queue: those of the objects that the parent has, and is not about to delete.
    func thoseOfParent(_ ids: Set<NSManagedObjectID>) -> Set<NSManagedObjectID> {
        guard let parent else { return [] }
        return parent.runAndWait {
            ids.filter { id in
                do {
                    return try !parent.existingObject(with: id).isDeleted
                } catch {
                    // What could not be read is not gone.
                    return (error as NSError).code != NSManagedObjectReferentialIntegrityError
                }
            }
        }
    }
}

#if canImport(ObjectiveC)
/// Objects that a context has saved, and its parent has ended up with otherwise. The package's own Core Data says so itself.
struct ParentDifferences {
    /// Objects whose values or members are others in the parent.
    var changed: Set<NSManagedObjectID> = []
    /// Objects that the parent does not have any more.
    var lost: Set<NSManagedObjectID> = []
}

extension NSManagedObjectContext {
    /// Compares what this context shows of objects without its unsaved changes with what its parent has.
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

/// Values of objects that can be compared with those of another context's object.
private enum SavedValues {
    /// What an object shows but for its unsaved changes: persistent attributes, to-one relationships, and those to-many
    /// relationships whose members are loaded.
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
