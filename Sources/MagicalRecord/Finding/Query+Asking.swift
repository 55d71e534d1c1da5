import CoreData

extension Query {
    /// The objects.
    ///
    /// - Throws: what ``fetchRequest(in:)`` throws, or Core Data's error.
    public func all(in context: NSManagedObjectContext? = nil) throws -> [Object] {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait { try context.fetch(try fetchRequest(in: context)) }
    }

    /// The first object, or `nil` when there is none.
    public func first(in context: NSManagedObjectContext? = nil) throws -> Object? {
        var one = self
        one.limit = 1
        one.batchSize = nil
        return try one.all(in: context).first
    }

    /// The only object.
    ///
    /// - Throws: ``MagicalRecordError/Code/objectNotFound`` when there is none, or more than one.
    public func only(in context: NSManagedObjectContext? = nil) throws -> Object {
        var two = self
        two.limit = 2
        let found = try two.all(in: context)
        guard found.count == 1, let object = found.first else {
            throw MagicalRecordError(
                .objectNotFound, found.isEmpty ? "No object was found." : "More than one object was found.",
                entity: entityName ?? EntityLookup.name(of: Object.self))
        }
        return object
    }

    /// How many objects there are. Answered by the store without reading them.
    public func count(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            var plain = self
            plain.order = []
            plain.prefetching = []
            plain.batchSize = nil
            return try context.count(for: try plain.fetchRequest(in: context))
        }
    }

    /// Whether there is at least one such object. Answered by the store without reading it.
    public func exists(in context: NSManagedObjectContext? = nil) throws -> Bool {
        var one = self
        one.limit = 1
        return try one.count(in: context) > 0
    }

    /// The objects' IDs, which may cross to other threads.
    public func ids(in context: NSManagedObjectContext? = nil) throws -> [NSManagedObjectID] {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let request = try request(NSFetchRequest<any NSFetchRequestResult>(), in: context)
            request.resultType = .managedObjectIDResultType
            return try context.fetch(request).compactMap { $0 as? NSManagedObjectID }
        }
    }

    /// Deletes the objects, in the context only; they are gone for good with the next save.
    ///
    /// Delete rules and hooks run for each. For large numbers see ``batchDelete(in:)``.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    public func delete(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let objects = try all(in: context)
            objects.forEach(context.delete)
            return objects.count
        }
    }
}
