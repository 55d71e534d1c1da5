import CoreData

extension MagicalRecord {
    /// One change of a batch update: `.set(\.isFriend, to: false)`.
    public struct BatchChange<Root: NSManagedObject> {
        let key: KeyPathName.Outcome
        let value: Any?

        /// Sets an attribute to a value; `nil` clears it.
        public static func set<Value: MagicalRecord.PredicateValue>(_ key: KeyPath<Root, Value>, to value: Value)
            -> Self
        {
            Self(key: KeyPathName.of(key), value: value.predicateConstant)
        }

        /// Adds to a number.
        public static func add<Value: MagicalRecord.NumericAttribute & MagicalRecord.PredicateValue>(
            _ value: Value, to key: KeyPath<Root, Value>
        ) -> Self {
            let name = KeyPathName.of(key)
            guard case .success(let path) = name else { return Self(key: name, value: nil) }
            let sum = NSExpression(
                forFunction: "add:to:",
                arguments: [NSExpression(forKeyPath: path), NSExpression(forConstantValue: value.predicateConstant)])
            return Self(key: name, value: sum)
        }
    }
}

extension MagicalRecord.Query {
    /// Changes all these objects directly in the store, without reading them, and refreshes those in memory.
    ///
    /// Only saved objects are seen; hooks and validation do not run. Stores that cannot do it (all but SQLite) are
    /// changed object by object, with hooks and validation, and the context saved.
    ///
    /// - Returns: the number of changed objects.
    @discardableResult
    public func batchUpdate(
        _ change: MagicalRecord.BatchChange<Object>, _ more: MagicalRecord.BatchChange<Object>...,
        in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try batchUpdate([change] + more, in: context)
    }

    func batchUpdate(_ changes: [MagicalRecord.BatchChange<Object>], in context: NSManagedObjectContext?) throws -> Int
    {
        try refuseLimit("A batch update changes")
        let context = try ContextScope.resolve(context)
        var values: [String: Any] = [:]
        for change in changes { values[try change.key.get()] = change.value ?? NSNull() }
        return try context.runAndWait {
            guard context.takesBatchRequests else {
                return try BatchFallback.update(try savedOnly().findAll(in: context), values, in: context)
            }
            let entity = try entity(in: context)
            let request = NSBatchUpdateRequest(entity: entity)
            request.predicate = try condition?.predicate(for: entity)
            request.includesSubentities = includesSubentities
            request.propertiesToUpdate = values
            request.resultType = .updatedObjectIDsResultType
            let result = try context.outcome(of: request) as? NSBatchUpdateResult
            let ids = result?.result as? [NSManagedObjectID] ?? []
            context.mergeBatch([NSUpdatedObjectsKey: ids])
            return ids.count
        }
    }

    /// Deletes all these objects directly in the store, without reading them, and removes those in memory.
    ///
    /// Only saved objects are seen; hooks do not run, delete rules are the store's. Stores that cannot do it (all of Apple's but
    /// SQLite) are changed object by object, and the context saved.
    ///
    /// - Returns: the number of deleted objects.
    @discardableResult
    public func batchDelete(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            guard context.takesBatchRequests else {
                let objects = try savedOnly().findAll(in: context)
                objects.forEach(context.delete)
                try context.save(to: .store)
                return objects.count
            }
            let fetch = try request(NSFetchRequest<any NSFetchRequestResult>(), in: context)
            fetch.includesPendingChanges = false
            fetch.relationshipKeyPathsForPrefetching = nil
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let result = try context.outcome(of: request) as? NSBatchDeleteResult
            let ids = result?.result as? [NSManagedObjectID] ?? []
            context.mergeBatch([NSDeletedObjectsKey: ids])
            return ids.count
        }
    }
}

/// Batch changes for stores without batch requests, object by object.
private enum BatchFallback {
    static func update(_ objects: [NSManagedObject], _ values: [String: Any], in context: NSManagedObjectContext) throws
        -> Int
    {
        for object in objects {
            for (key, value) in values {
                let new = (value as? NSExpression)?.expressionValue(with: object, context: nil) ?? value
                object.setValue(new is NSNull ? nil : new, forKey: key)
            }
        }
        try context.save(to: .store)
        return objects.count
    }
}

extension NSManagedObjectContext {
    /// Whether all stores execute batch requests.
    fileprivate var takesBatchRequests: Bool {
        persistentStoreCoordinator?.persistentStores.allSatisfy(\.takesBatchRequests) ?? false
    }

    /// Updates this context, its parents and the other contexts of the stack after a change that was made directly in the store.
    /// Runs on the context's queue.
    fileprivate func mergeBatch(_ ids: [String: [NSManagedObjectID]]) {
        guard ids.values.contains(where: { !$0.isEmpty }) else { return }
        let chain = [self] + ancestors
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: ids, into: chain.reversed())
        if let stack = MagicalRecord.Stack.open(on: persistentStoreCoordinator) {
            stack.merging.mergeExternal(ids, except: chain)
        }
    }
}

#if canImport(ObjectiveC)
extension NSPersistentStore {
    /// Whether the store changes many rows by one request: of Apple's, those of SQLite.
    fileprivate var takesBatchRequests: Bool { type == NSSQLiteStoreType }
}
#endif
