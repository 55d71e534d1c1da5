import MagicalRecord

enum FetchingSnippets {
    static func totals(context: NSManagedObjectContext) throws -> [NSDictionary] {
        // snippet
        let number = NSExpressionDescription()
        number.name = "number"
        number.expression = NSExpression(format: "count:(userID)")
        number.expressionResultType = .integer64AttributeType

        let request = NSFetchRequest<NSDictionary>(entityName: "User")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["countryCode", number]
        request.propertiesToGroupBy = ["countryCode"]
        request.havingPredicate = NSPredicate(format: "count:(userID) > 1")
        request.sortDescriptors = [NSSortDescriptor(key: "countryCode", ascending: true)]
        let countries = try context.fetch(request)
        // end
        return countries
    }

    static func prefetched(context: NSManagedObjectContext) throws -> Int {
        // snippet
        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = NSPredicate(format: "isFriend == YES")
        request.relationshipKeyPathsForPrefetching = ["team", "messages"]
        for user in try context.fetch(request) {
            print(user.displayName ?? "?", user.team?.name ?? "-", user.messages.count)
        }
        // end
        return try context.count(for: request)
    }

    static func inBackground(context: NSManagedObjectContext, done: @escaping @Sendable (Int) -> Void) throws {
        // snippet
        let request = NSFetchRequest<User>(entityName: "User")
        let search = NSAsynchronousFetchRequest(fetchRequest: request) { result in
            if let error = result.operationError { print("not found: \(error)") }
            done(result.finalResult?.count ?? 0)
        }
        search.estimatedResultCount = 100_000
        let running = try context.execute(search) as? NSAsynchronousFetchResult<User>
        // end
        _ = running?.progress
    }

    static func upsert(context: NSManagedObjectContext) throws -> Int? {
        // snippet
        let insert = NSBatchInsertRequest(
            entityName: "User",
            objects: [
                ["userID": 1, "displayName": "Ann", "countryCode": 49],
                ["userID": 2, "displayName": "Ben", "countryCode": 33],
            ])
        insert.resultType = .count
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // overwrite what violates a constraint
        let inserted = try context.execute(insert) as? NSBatchInsertResult
        // end
        return inserted?.result as? Int
    }

    static func update(context: NSManagedObjectContext, view: NSManagedObjectContext) throws -> Int {
        // snippet
        let update = NSBatchUpdateRequest(entityName: "User")
        update.predicate = NSPredicate(format: "countryCode == 33")
        update.propertiesToUpdate = [
            "isFriend": true, "balance": NSExpression(format: "balance + 10"),
        ]
        update.resultType = .updatedObjectIDsResultType
        let updated = try context.execute(update) as? NSBatchUpdateResult
        let updatedIDs = updated?.result as? [NSManagedObjectID] ?? []
        // end

        // snippet
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: updatedIDs], into: [view])
        // end
        return updatedIDs.count
    }

    static func delete(context: NSManagedObjectContext, view: NSManagedObjectContext) throws -> Int {
        // snippet
        let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Message")
        old.predicate = NSPredicate(format: "length == 0")
        let delete = NSBatchDeleteRequest(fetchRequest: old)
        delete.resultType = .resultTypeObjectIDs
        let deleted = try context.execute(delete) as? NSBatchDeleteResult
        let deletedIDs = deleted?.result as? [NSManagedObjectID] ?? []
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: deletedIDs], into: [view])
        // end
        return deletedIDs.count
    }
}
