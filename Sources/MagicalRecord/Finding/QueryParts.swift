import CoreData

/// The parts of a query, without the type of its objects.
///
/// Code that is generic over that type asks the runtime for types at each step, which adds up to as much as a look-up takes
/// to prepare. What every look-up goes through is kept here.
struct QueryParts: Sendable {
    let type: NSManagedObject.Type
    var entityName: String?
    var condition: ConditionNode?
    var order: [SortKey] = []
    var limit: Int?
    var offset: Int?
    var batchSize: Int?
    var prefetching: [KeyPathName.Outcome] = []
    var includesSubentities = true
    var includesPendingChanges = true

    func entity(in context: NSManagedObjectContext) throws -> NSEntityDescription {
        if let entityName { return try EntityLookup.entity(named: entityName, in: context) }
        return try EntityLookup.entity(for: type, in: context)
    }

    /// See ``MagicalRecord/Query/findFirst(in:)``.
    func findFirst<Object: NSManagedObject>(in context: NSManagedObjectContext?) throws -> Object? {
        let context = try ContextScope.resolve(context)
        var one = atMost(1)
        one.batchSize = nil
        guard let object = try one.firstObject(in: context) else { return nil }
        if let object = object as? Object { return object }
        // The error, or the trap, is that of a request with the wrong type.
        return try context.runAndWait {
            try context.results(of: one.request(NSFetchRequest<Object>(), in: context)).first
        }
    }

    private func firstObject(in context: NSManagedObjectContext) throws -> NSManagedObject? {
        try context.runAndWait {
            let found = try context.results(of: try request(NSFetchRequest<NSManagedObject>(), in: context))
            return found.isEmpty ? nil : found[0]
        }
    }

    func atMost(_ count: Int) -> QueryParts {
        var copy = self
        copy.limit = min(limit ?? count, count)
        return copy
    }

    func request<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) throws -> NSFetchRequest<Result> {
        let entity = try entity(in: context)
        request.entity = entity
        request.predicate = try condition?.predicate(for: entity)
        if !order.isEmpty { request.sortDescriptors = try order.map { try $0.descriptor() } }
        // To a fetch request a limit of 0 is none at all.
        if limit == 0 { request.predicate = NSPredicate(value: false) }
        if let limit { request.fetchLimit = limit }
        if let offset { request.fetchOffset = offset }
        if let batchSize { request.fetchBatchSize = batchSize }
        if !prefetching.isEmpty { request.relationshipKeyPathsForPrefetching = try prefetching.map { try $0.get() } }
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        return request
    }
}
