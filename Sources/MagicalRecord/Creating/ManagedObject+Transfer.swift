import CoreData

extension MagicalRecord.ManagedObject {
    /// Returns the same object in another context. An object that has never been saved gets its permanent ID first.
    ///
    /// - Throws: ``MagicalRecordError/Code/objectNotFound`` when the other context cannot see it, since it has reached neither
    ///   the store nor an ancestor that both contexts share.
    public func `in`(_ other: NSManagedObjectContext) throws -> Self {
        guard other !== managedObjectContext else { return self }
        let id = try permanentID()
        return try other.runAndWait {
            do {
                if let object = try other.existingObject(with: id) as? Self { return object }
                throw MagicalRecordError(
                    .classMismatch, "The object is of another class in the other context.", objectID: id)
            } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
                throw MagicalRecordError(
                    .objectNotFound, "The object is not there in the other context.",
                    advice: "Save it first, in its own context and that context's parents.", entity: id.entity.name,
                    objectID: id, underlying: error)
            }
        }
    }

    /// Returns the object's permanent ID, obtaining one if it has none. IDs may cross to other threads.
    public func permanentID() throws -> NSManagedObjectID {
        guard objectID.isTemporaryID, let context = managedObjectContext else { return objectID }
        return try context.runAndWait {
            try context.obtainPermanentIDs(for: [self])
            return self.objectID
        }
    }
}

extension NSManagedObjectContext {
    /// Returns the objects of these IDs in this context, in the order of the IDs.
    ///
    /// - Throws: Core Data's error 133000 when one does not exist.
    public func objects<Object: NSManagedObject>(_ ids: [NSManagedObjectID], as type: Object.Type = Object.self) throws
        -> [Object]
    {
        try runAndWait {
            try ids.map { id in
                if let object = try existingObject(with: id) as? Object { return object }
                throw MagicalRecordError(
                    .classMismatch, "An object is not of class \(type).", entity: id.entity.name, objectID: id)
            }
        }
    }
}
