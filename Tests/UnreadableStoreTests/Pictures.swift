import CoreData
import Testing

extension Library {
    /// Every object with its values and what it leads to, as a context that knows nothing of others reads them.
    func picture() throws -> [String: String] {
        let refusals = faults.refusals
        let context = context()
        let result = try context.performAndWait { () throws in
            var result: [String: String] = [:]
            for entity in coordinator.managedObjectModel.entities {
                for object in try context.all(entity.name!) {
                    let names = entity.relationshipsByName.keys.sorted()
                    let ends = names.map { "\($0): \(object.names($0))" }.joined(separator: ", ")
                    result["\(object.objectID.uriRepresentation())"] = "\(object.name ?? "nil") \(ends)"
                }
            }
            return result
        }
        #expect(faults.refusals == refusals, "A picture is taken of a store that answers.")
        return result
    }

    /// Expects that every relationship with an inverse says the same on both sides.
    func checkMutual(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let context = context()
        try context.performAndWait { () throws in
            for entity in coordinator.managedObjectModel.entities {
                for object in try context.all(entity.name!) {
                    for (name, relationship) in entity.relationshipsByName {
                        guard let inverse = relationship.inverseRelationship else { continue }
                        for end in object.ends(name) {
                            #expect(
                                end.ends(inverse.name).contains(object),
                                "\(object.name ?? "nil").\(name) has \(end.name ?? "nil"), whose \(inverse.name) has it not.",
                                sourceLocation: sourceLocation)
                        }
                    }
                }
            }
        }
    }

    func id(_ entity: String, _ name: String) throws -> NSManagedObjectID {
        let context = context()
        return try context.performAndWait { try context.fault(entity, name).objectID }
    }
}

extension NSManagedObject {
    func ends(_ relationship: String) -> [NSManagedObject] {
        switch value(forKey: relationship) {
        case let set as NSSet: set.allObjects as! [NSManagedObject]
        case let ordered as NSOrderedSet: ordered.array as! [NSManagedObject]
        case let object as NSManagedObject: [object]
        default: []
        }
    }
}

extension NSManagedObjectContext {
    func namesOfOwners() throws -> [String] {
        try performAndWait { try all("Owner").map { $0.name ?? "nil" } }
    }
}
