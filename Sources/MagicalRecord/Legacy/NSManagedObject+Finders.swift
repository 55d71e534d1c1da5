import CoreData

extension NSManagedObject {
    /// Executes a request on the context's queue. `nil` when it fails; the error goes to the error handler.
    ///
    /// Requests for dictionaries, IDs or counts fail: the original returned their results in an array declared to hold
    /// objects, which Swift cannot. Execute them with the context's own functions.
    @discardableResult
    public class func mr_execute<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        MagicalRecord.reporting {
            guard request.resultType == .managedObjectResultType else {
                throw MagicalRecordError(
                    .classMismatch, "The request is for dictionaries, IDs or a count, and the result for objects.",
                    advice: "Use the context's fetch(_:) or count(for:).", entity: request.entityName)
            }
            return try context.runAndWait { try context.results(of: request).compactMap { $0 as? NSManagedObject } }
        }
    }

    /// The results of a request in the thread's context.
    @discardableResult
    public class func mr_execute<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>) -> [NSManagedObject]?
    {
        mr_execute(request, in: ThreadContexts.current())
    }

    /// The spelling of older importers.
    @discardableResult
    public class func mr_executeFetchRequest<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(request, in: context)
    }

    /// The results of a request in the thread's context. An older name.
    @discardableResult
    public class func mr_executeFetchRequest<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>)
        -> [NSManagedObject]?
    {
        mr_execute(request)
    }

    /// The first object of a request, which is left as it is. (The original changed its limit.)
    @discardableResult
    public class func mr_executeFetchRequestAndReturnFirstObject<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) -> Self? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return mr_execute(request, in: context)?.first as? Self
    }

    /// The first result of a request in the thread's context.
    @discardableResult
    public class func mr_executeFetchRequestAndReturnFirstObject<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>
    ) -> Self? {
        mr_executeFetchRequestAndReturnFirstObject(request, in: ThreadContexts.current())
    }
}

// MARK: Many objects. `nil` only when the fetch fails.

extension NSManagedObject {
    /// All objects in a context; `nil` after an error.
    @discardableResult
    public class func mr_findAll(in context: NSManagedObjectContext) -> [NSManagedObject]? {
        mr_execute(mr_requestAll(in: context), in: context)
    }

    /// All objects in the thread's context.
    @discardableResult
    public class func mr_findAll() -> [NSManagedObject]? { mr_findAll(in: ThreadContexts.current()) }

    /// The objects that fulfil a predicate; all without one.
    @discardableResult
    public class func mr_findAll(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> [NSManagedObject]?
    {
        mr_execute(mr_requestAll(with: searchTerm, in: context), in: context)
    }

    /// The objects that fulfil a predicate, in the thread's context.
    @discardableResult
    public class func mr_findAll(with searchTerm: NSPredicate?) -> [NSManagedObject]? {
        mr_findAll(with: searchTerm, in: ThreadContexts.current())
    }

    /// The objects that fulfil a predicate, sorted.
    @discardableResult
    public class func mr_findAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(
            mr_requestAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: context), in: context)
    }

    /// The objects that fulfil a predicate, sorted, in the thread's context.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?)
        -> [NSManagedObject]?
    {
        mr_findAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: ThreadContexts.current())
    }

    /// All objects in a context, sorted.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool, in context: NSManagedObjectContext)
        -> [NSManagedObject]?
    {
        mr_findAllSorted(by: sortTerm, ascending: ascending, with: nil, in: context)
    }

    /// All objects in the thread's context, sorted.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool) -> [NSManagedObject]? {
        mr_findAllSorted(by: sortTerm, ascending: ascending, in: ThreadContexts.current())
    }

    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(mr_requestAllWhere(attribute, isEqualTo: searchValue, in: context), in: context)
    }

    /// The objects with that value, in the thread's context.
    @discardableResult
    public class func mr_find(byAttribute attribute: String, withValue searchValue: Any?) -> [NSManagedObject]? {
        mr_find(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, andOrderBy sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_findAllSorted(
            by: sortTerm ?? "", ascending: ascending, with: equality(attribute, searchValue), in: context)
    }

    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, andOrderBy sortTerm: String?, ascending: Bool
    ) -> [NSManagedObject]? {
        mr_find(
            byAttribute: attribute, withValue: searchValue, andOrderBy: sortTerm, ascending: ascending,
            in: ThreadContexts.current())
    }
}

// MARK: One object. `nil` when there is none, or the fetch fails.

extension NSManagedObject {
    /// Any object of a context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstInContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(in context: NSManagedObjectContext) -> Self? {
        mr_findFirst(with: nil, in: context)
    }

    /// Any object of the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirst)
    #endif
    @discardableResult
    public class func mr_findFirst() -> Self? { mr_findFirst(in: ThreadContexts.current()) }

    /// An object that fulfils a predicate.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, in context: NSManagedObjectContext) -> Self? {
        mr_executeFetchRequestAndReturnFirstObject(mr_requestFirst(with: searchTerm, in: context), in: context)
    }

    /// An object that fulfils a predicate, in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?) -> Self? {
        mr_findFirst(with: searchTerm, in: ThreadContexts.current())
    }

    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:sortedBy:ascending:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool, in context: NSManagedObjectContext
    ) -> Self? {
        mr_executeFetchRequestAndReturnFirstObject(
            mr_requestAllSorted(by: property ?? "", ascending: ascending, with: searchTerm, in: context), in: context)
    }

    /// The first in that order that fulfils a predicate, in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:sortedBy:ascending:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool) -> Self?
    {
        mr_findFirst(with: searchTerm, sortedBy: property, ascending: ascending, in: ThreadContexts.current())
    }

    /// The first object that matches; `attributes` (names or descriptions) are read at once, others when touched.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:andRetrieveAttributes:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, andRetrieveAttributes attributes: [Any]?, in context: NSManagedObjectContext
    ) -> Self? {
        let request = mr_requestFirst(with: searchTerm, in: context)
        request.propertiesToFetch = attributes
        return mr_executeFetchRequestAndReturnFirstObject(request, in: context)
    }

    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:andRetrieveAttributes:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, andRetrieveAttributes attributes: [Any]?) -> Self? {
        mr_findFirst(with: searchTerm, andRetrieveAttributes: attributes, in: ThreadContexts.current())
    }

    /// As the one without an order. (The original took a list of arguments that Swift cannot pass, and ignored all but
    /// the first.)
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool, in context: NSManagedObjectContext,
        andRetrieveAttributes attributes: [String]
    ) -> Self? {
        let request = mr_requestAllSorted(by: property ?? "", ascending: ascending, with: searchTerm, in: context)
        request.propertiesToFetch = mr_propertiesNamed(attributes, in: context)
        return mr_executeFetchRequestAndReturnFirstObject(request, in: context)
    }

    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool,
        andRetrieveAttributes attributes: [String]
    ) -> Self? {
        mr_findFirst(
            with: searchTerm, sortedBy: property, ascending: ascending, in: ThreadContexts.current(),
            andRetrieveAttributes: attributes)
    }

    #if canImport(ObjectiveC)
    @objc(MR_findFirstByAttribute:withValue:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> Self? {
        mr_findFirst(with: equality(attribute, searchValue), in: context)
    }

    /// An object with that value, in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstByAttribute:withValue:)
    #endif
    @discardableResult
    public class func mr_findFirst(byAttribute attribute: String, withValue searchValue: Any?) -> Self? {
        mr_findFirst(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrderedByAttribute:ascending:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirstOrdered(
        byAttribute attribute: String, ascending: Bool, in context: NSManagedObjectContext
    ) -> Self? {
        mr_findFirst(with: nil, sortedBy: attribute, ascending: ascending, in: context)
    }

    /// The object with the smallest value of an attribute, or the largest, in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrderedByAttribute:ascending:)
    #endif
    @discardableResult
    public class func mr_findFirstOrdered(byAttribute attribute: String, ascending: Bool) -> Self? {
        mr_findFirstOrdered(byAttribute: attribute, ascending: ascending, in: ThreadContexts.current())
    }

    /// The first object with that value, or a new one that has it.
    ///
    /// Traps when the entity is unknown, where the original returned nil from a function declared never to.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrCreateByAttribute:withValue:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirstOrCreate(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> Self {
        if let found = mr_findFirst(byAttribute: attribute, withValue: searchValue, in: context) { return found }
        guard let object = mr_createEntity(in: context) else {
            preconditionFailure("The model has no entity for \(self). See the error handler's message.")
        }
        context.runAndWait { object.setValue(searchValue is NSNull ? nil : searchValue, forKey: attribute) }
        return object
    }

    /// The object with that value in the thread's context, created if there is none.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrCreateByAttribute:withValue:)
    #endif
    @discardableResult
    public class func mr_findFirstOrCreate(byAttribute attribute: String, withValue searchValue: Any?) -> Self {
        mr_findFirstOrCreate(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }
}
