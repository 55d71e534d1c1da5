import CoreData

extension MagicalRecord {
    /// One change of a batch update: `.set(\.isFriend, to: false)`.
    public struct BatchChange<Root: NSManagedObject> {
        let key: KeyPathName.Outcome
        let value: Any?

        /// Sets an attribute to a value; `nil` clears it.
        public static func set<Value: PredicateValue>(_ key: KeyPath<Root, Value>, to value: Value) -> Self {
            Self(key: KeyPathName.of(key), value: value.predicateConstant)
        }

        /// Sets an attribute to the raw value of an enumeration.
        @_disfavoredOverload
        public static func set<Value: RawRepresentable>(_ key: KeyPath<Root, Value>, to value: Value) -> Self
        where Value.RawValue: PredicateValue {
            Self(key: KeyPathName.of(key), value: value.rawValue.predicateConstant)
        }

        /// Sets an attribute to the raw value of an enumeration; `nil` clears it.
        @_disfavoredOverload
        public static func set<Value: RawRepresentable>(_ key: KeyPath<Root, Value?>, to value: Value?) -> Self
        where Value.RawValue: PredicateValue {
            Self(key: KeyPathName.of(key), value: value?.rawValue.predicateConstant)
        }

        /// Adds to a number.
        public static func add<Value: NumericAttribute & PredicateValue>(
            _ value: Value, to key: KeyPath<Root, Value>
        ) -> Self {
            let name = KeyPathName.of(key)
            guard case .success(let path) = name else { return Self(key: name, value: nil) }
            let terms = [NSExpression(forKeyPath: path), NSExpression(forConstantValue: value.predicateConstant)]
            return Self(key: name, value: NSExpression(forFunction: "add:to:", arguments: terms))
        }
    }
}

extension MagicalRecord.Query {
    /// Changes all these objects directly in the store, without reading them, and refreshes those in memory.
    ///
    /// Only saved objects are seen; hooks and validation do not run. Stores that cannot do it (all of Apple's but SQLite) are
    /// changed object by object, with hooks and validation, and the context saved.
    ///
    /// - Returns: the number of changed objects.
    @discardableResult
    public func batchUpdate(
        _ change: MagicalRecord.BatchChange<Object>, _ more: MagicalRecord.BatchChange<Object>...,
        in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try refuseLimit("A batch update changes")
        let context = try ContextScope.resolve(context)
        var values: [String: Any] = [:]
        for change in [change] + more { values[try change.key.get()] = change.value ?? NSNull() }
        return try context.runAndWait {
            guard context.takesBatchRequests else {
                return try changeEach(in: context) { object in
                    for (key, value) in values {
                        let new = (value as? NSExpression)?.expressionValue(with: object, context: nil) ?? value
                        object.setValue(new is NSNull ? nil : new, forKey: key)
                    }
                }
            }
            let entity = try entity(in: context)
            let request = NSBatchUpdateRequest(entity: entity)
            request.predicate = try parts.condition?.predicate(for: entity)
            request.includesSubentities = includesSubentities
            request.propertiesToUpdate = values
            request.resultType = .updatedObjectIDsResultType
            let result = try context.outcome(of: request) as? NSBatchUpdateResult
            return context.mergeBatch(result?.result, NSUpdatedObjectsKey)
        }
    }

    /// Deletes all these objects directly in the store, as ``batchUpdate(_:_:in:)`` changes them, and removes those in memory.
    /// Delete rules are the store's.
    ///
    /// - Returns: the number of deleted objects.
    @discardableResult
    public func batchDelete(in context: NSManagedObjectContext? = nil) throws -> Int {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            guard context.takesBatchRequests else { return try changeEach(in: context, context.delete) }
            let fetch = try parts.request(NSFetchRequest<any NSFetchRequestResult>(), in: context)
            fetch.includesPendingChanges = false
            fetch.relationshipKeyPathsForPrefetching = nil
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let result = try context.outcome(of: request) as? NSBatchDeleteResult
            return context.mergeBatch(result?.result, NSDeletedObjectsKey)
        }
    }

    /// Changes the saved objects one by one, and saves.
    private func changeEach(
        in context: NSManagedObjectContext, _ change: (NSManagedObject) -> Void
    ) throws -> Int {
        let objects = try savedOnly().findAll(in: context)
        objects.forEach(change)
        try context.save(to: .store)
        return objects.count
    }
}

extension NSManagedObjectContext {
    /// Whether all stores execute batch requests.
    fileprivate var takesBatchRequests: Bool {
        persistentStoreCoordinator?.persistentStores.allSatisfy(\.takesBatchRequests) ?? false
    }

    /// Updates this context, its parents and the other contexts of the stack after a change of these objects that was made
    /// directly in the store, and returns their number. Runs on the context's queue.
    fileprivate func mergeBatch(_ result: Any?, _ key: String) -> Int {
        guard let ids = result as? [NSManagedObjectID], !ids.isEmpty else { return 0 }
        let chain = [self] + ancestors
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: chain.reversed())
        MagicalRecord.Stack.open(on: persistentStoreCoordinator)?.merging.mergeExternal([key: ids], except: chain)
        return ids.count
    }
}

#if canImport(ObjectiveC)
extension NSPersistentStore {
    /// Whether the store changes many rows by one request: of Apple's, those of SQLite.
    fileprivate var takesBatchRequests: Bool { type == NSSQLiteStoreType }
}
#endif
