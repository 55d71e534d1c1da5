import CoreData

extension MagicalRecord.Query {
    /// Calls `body` with the objects, at most `size` at a time, and releases each batch before the next, so that any number of
    /// objects needs the memory of one batch.
    ///
    /// Objects come in the order of their keys, which is about that of their first saves, unless an order was asked for. Each
    /// batch is read when it is reached, with one query: objects that were deleted meanwhile, or no longer fulfil the condition,
    /// are left out, and objects inserted meanwhile are not visited. A batch of which nothing is left is passed over.
    ///
    /// `body` must save its changes before it returns: objects with unsaved changes stay in memory, and the next batches are
    /// chosen by what is saved.
    ///
    /// The IDs of all objects are read first, and the condition is not looked at again, where keys do not lead quickly from batch
    /// to batch: with an order, a limit or an offset, with `OR` or a list in the condition, in contexts with a parent or, when
    /// the walk begins, with unsaved changes that count, with several stores or one that is not SQLite, and on Apple's platforms.
    ///
    /// - Throws: what ``fetchRequest(in:)`` throws, Core Data's error, or that of `body`, which ends the walk.
    public func forEachBatch(
        of size: Int, in context: NSManagedObjectContext? = nil, _ body: ([Object]) throws -> Void
    ) throws {
        precondition(size > 0, "A batch needs at least one object.")
        let context = try ContextScope.resolve(context)
        try context.runAndWait {
            if try isWalkedByKey(in: context) {
                try walkByKey(size, in: context, body)
            } else {
                try walkByID(size, in: context, body)
            }
        }
    }

    // MARK: By key

    private func isWalkedByKey(in context: NSManagedObjectContext) throws -> Bool {
        #if canImport(Darwin)
        // Apple's framework does not promise that predicates can compare objects by order.
        return false
        #else
        guard order.isEmpty, limit == nil, offset ?? 0 == 0, context.parent == nil,
            let stores = context.persistentStoreCoordinator?.persistentStores, stores.count == 1,
            stores[0].takesBatchRequests, !includesPendingChanges || !context.hasChanges
        else { return false }
        return try condition.map { Self.isFoundAlongKeys(try $0.nsPredicate()) } ?? true
        #endif
    }

    #if !canImport(Darwin)
    /// Returns whether the database finds the rows of a batch without visiting those of later batches. A disjunction makes it
    /// collect and sort the rest of the table, and a list is searched again for each batch.
    private static func isFoundAlongKeys(_ predicate: NSPredicate) -> Bool {
        switch predicate {
        case let compound as NSCompoundPredicate:
            let parts = compound.subpredicates
            if isInequality(compound) { return true }
            return compound.compoundPredicateType != .or && parts.allSatisfy(isFoundAlongKeys)
                && (compound.compoundPredicateType == .and || !parts.contains { $0 is NSCompoundPredicate })
        case let comparison as NSComparisonPredicate:
            return comparison.predicateOperatorType != .in
                && (comparison.predicateOperatorType != .contains
                    || comparison.leftExpression.expressionType != .constantValue)
        default: return true
        }
    }

    /// Returns whether a condition is `!=` or a negation, followed by "or there is no value": no index serves the first part, so
    /// the table is scanned in the order of its keys.
    private static func isInequality(_ predicate: NSCompoundPredicate) -> Bool {
        let parts = predicate.subpredicates
        guard predicate.compoundPredicateType == .or, parts.count == 2,
            let missing = parts[1] as? NSComparisonPredicate,
            missing.predicateOperatorType == .equalTo, missing.rightExpression.expressionType == .constantValue,
            missing.rightExpression.constantValue == nil
        else { return false }
        if let comparison = parts[0] as? NSComparisonPredicate {
            return comparison.predicateOperatorType == .notEqualTo
        }
        let negation = parts[0] as? NSCompoundPredicate
        return negation?.compoundPredicateType == .not && negation?.subpredicates.first is NSComparisonPredicate
    }
    #endif

    private func walkByKey(_ size: Int, in context: NSManagedObjectContext, _ body: ([Object]) throws -> Void) throws {
        var saved = parts
        (saved.includesPendingChanges, saved.batchSize) = (false, nil)
        var plain = saved
        plain.prefetching = []
        let highest = try plain.request(NSFetchRequest<NSManagedObjectID>(), in: context)
        highest.resultType = .managedObjectIDResultType
        highest.sortDescriptors = [NSSortDescriptor(key: "self", ascending: false)]
        highest.fetchLimit = 1
        // Without an end, a body that inserts objects would visit them without end.
        guard let end = try context.results(of: highest).first else { return }
        let request = try saved.request(NSFetchRequest<Object>(), in: context)
        request.sortDescriptors = [NSSortDescriptor(key: "self", ascending: true)]
        request.fetchLimit = size
        request.returnsObjectsAsFaults = false
        let untilEnd = NSPredicate(format: "SELF <= %@", argumentArray: [end])
        let conditions = [request.predicate, untilEnd].compactMap(\.self)
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        while let last = try autoreleasepool(invoking: { try batch(request, in: context, body) }), last != end {
            let rest = conditions + [NSPredicate(format: "SELF > %@", argumentArray: [last])]
            request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: rest)
        }
    }

    /// Fetches and hands over one batch.
    ///
    /// - Returns: where the next one begins; nil when there is none.
    private func batch(
        _ request: NSFetchRequest<Object>, in context: NSManagedObjectContext, _ body: ([Object]) throws -> Void
    ) throws -> NSManagedObjectID? {
        // Objects that unsaved deletions cascade to are left out as well.
        if includesPendingChanges { context.processPendingChanges() }
        let objects = try context.results(of: request)
        let last = objects.count == request.fetchLimit ? objects.last?.objectID : nil
        let present = context.hasChanges ? objects.filter { !$0.isDeleted } : objects
        if !present.isEmpty { try body(present) }
        return last
    }

    // MARK: By ID

    private func walkByID(_ size: Int, in context: NSManagedObjectContext, _ body: ([Object]) throws -> Void) throws {
        let ids = try ids(in: context)
        // The IDs of unsaved objects lead nowhere once `body` has saved them.
        var unsaved: [NSManagedObjectID: NSManagedObject] = [:]
        for id in ids where id.isTemporaryID { unsaved[id] = context.object(with: id) }
        for start in stride(from: 0, to: ids.count, by: size) {
            let part = ids[start..<min(start + size, ids.count)].map { id in
                guard let object = unsaved.removeValue(forKey: id) else { return id }
                // Being asked for an object, a context hears of what its parent has saved meanwhile.
                _ = context.registeredObject(for: id)
                return object.objectID
            }
            try autoreleasepool {
                let request = NSFetchRequest<Object>()
                request.entity = try entity(in: context)
                request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [part])
                if !parts.prefetching.isEmpty {
                    request.relationshipKeyPathsForPrefetching = try parts.prefetching.map { try $0.get() }
                }
                var found: [NSManagedObjectID: Object] = [:]
                for object in try context.results(of: request) { found[object.objectID] = object }
                // Those deleted meanwhile are left out.
                let objects = part.compactMap { found[$0] }
                if !objects.isEmpty { try body(objects) }
            }
        }
    }
}
