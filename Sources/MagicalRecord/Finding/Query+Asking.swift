import CoreData

extension MagicalRecord.Query {
    /// Returns the objects.
    ///
    /// - Throws: the errors of ``fetchRequest(in:)``, or Core Data's error.
    public func findAll(in context: NSManagedObjectContext? = nil) throws -> [Object] {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait { try context.results(of: try fetchRequest(in: context)) }
    }

    /// Returns the first object, or `nil` if there is none.
    public func findFirst(in context: NSManagedObjectContext? = nil) throws -> Object? {
        try parts.findFirst(in: context)
    }

    /// Returns the only object.
    ///
    /// - Throws: ``MagicalRecordError/Code/objectNotFound`` when there is none, or more than one.
    public func findOnly(in context: NSManagedObjectContext? = nil) throws -> Object {
        let found = try with { $0.parts = parts.atMost(2) }.findAll(in: context)
        guard found.count == 1, let object = found.first else {
            throw MagicalRecordError(
                .objectNotFound, found.isEmpty ? "No object was found." : "More than one object was found.",
                entity: shownEntity)
        }
        return object
    }

    /// Returns the number of objects. The store counts them without reading them.
    public func count(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        var plain = parts
        (plain.order, plain.prefetching, plain.batchSize) = ([], [], nil)
        return try context.runAndWait { try context.number(of: plain.request(NSFetchRequest<Object>(), in: context)) }
    }

    /// Returns whether there is at least one object. The store answers without reading it.
    public func exists(in context: NSManagedObjectContext? = nil) throws -> Bool {
        try with { $0.parts = parts.atMost(1) }.count(in: context) > 0
    }

    /// Returns the objects' IDs, which may cross to other threads.
    public func ids(in context: NSManagedObjectContext? = nil) throws -> [NSManagedObjectID] {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let request = try parts.request(NSFetchRequest<any NSFetchRequestResult>(), in: context)
            request.resultType = .managedObjectIDResultType
            return try context.results(of: request).compactMap { $0 as? NSManagedObjectID }
        }
    }

    /// Deletes the objects, in the context only. They leave the store with the next save.
    ///
    /// Delete rules and hooks run for each. For large numbers see ``batchDelete(in:)``.
    ///
    /// - Returns: the number of deleted objects.
    @discardableResult
    public func deleteAll(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            try Instruments.withoutFindings {
                let objects = try findAll(in: context)
                objects.forEach(context.delete)
                return objects.count
            }
        }
    }
}
