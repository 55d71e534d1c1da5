import CoreData

extension NSManagedObject {
    /// Executes a request on the context's queue; returns nil after an error, which goes to the error handler.
    ///
    /// Requests for dictionaries, IDs or counts fail: the original returned their results in an array declared to hold objects,
    /// which Swift does not allow. Use the context's own functions for them.
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

    /// Executes a request in the current thread's context; returns nil after an error.
    @discardableResult
    public class func mr_execute<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>) -> [NSManagedObject]?
    {
        mr_execute(request, in: ThreadContexts.current())
    }

    /// Executes a request as ``mr_execute(_:in:)``; the name that older Swift importers gave it.
    @discardableResult
    public class func mr_executeFetchRequest<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(request, in: context)
    }

    /// Executes a request as ``mr_execute(_:)``; the name that older Swift importers gave it.
    @discardableResult
    public class func mr_executeFetchRequest<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>)
        -> [NSManagedObject]?
    {
        mr_execute(request)
    }

    /// Returns the first object of a request, or nil. The request's limit stays unchanged (the original changed it).
    @discardableResult
    public class func mr_executeFetchRequestAndReturnFirstObject<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>, in context: NSManagedObjectContext
    ) -> Self? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return mr_execute(request, in: context)?.first as? Self
    }

    /// Returns the first object of a request in the current thread's context, or nil.
    @discardableResult
    public class func mr_executeFetchRequestAndReturnFirstObject<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>
    ) -> Self? {
        mr_executeFetchRequestAndReturnFirstObject(request, in: ThreadContexts.current())
    }
}

// MARK: Several objects; nil only after an error.

extension NSManagedObject {
    /// Returns all objects in a context; nil after an error, which goes to the error handler.
    @discardableResult
    public class func mr_findAll(in context: NSManagedObjectContext) -> [NSManagedObject]? {
        mr_execute(mr_requestAll(in: context), in: context)
    }

    /// Returns all objects in the current thread's context.
    @discardableResult
    public class func mr_findAll() -> [NSManagedObject]? { mr_findAll(in: ThreadContexts.current()) }

    /// Returns the objects that match a predicate; a nil predicate matches all.
    @discardableResult
    public class func mr_findAll(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> [NSManagedObject]?
    {
        mr_execute(mr_requestAll(with: searchTerm, in: context), in: context)
    }

    /// Returns the objects that match a predicate, in the current thread's context.
    @discardableResult
    public class func mr_findAll(with searchTerm: NSPredicate?) -> [NSManagedObject]? {
        mr_findAll(with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns the objects that match a predicate, sorted. See ``mr_requestAllSorted(by:ascending:with:in:)`` for the sort
    /// term.
    @discardableResult
    public class func mr_findAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(
            mr_requestAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: context), in: context)
    }

    /// Returns the objects that match a predicate, sorted, in the current thread's context.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?)
        -> [NSManagedObject]?
    {
        mr_findAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns all objects in a context, sorted.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool, in context: NSManagedObjectContext)
        -> [NSManagedObject]?
    {
        mr_findAllSorted(by: sortTerm, ascending: ascending, with: nil, in: context)
    }

    /// Returns all objects in the current thread's context, sorted.
    @discardableResult
    public class func mr_findAllSorted(by sortTerm: String, ascending: Bool) -> [NSManagedObject]? {
        mr_findAllSorted(by: sortTerm, ascending: ascending, in: ThreadContexts.current())
    }

    /// Returns the objects with an attribute that equals `searchValue`; nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_execute(mr_requestAllWhere(attribute, isEqualTo: searchValue, in: context), in: context)
    }

    /// Returns the objects with an attribute that equals `searchValue`, in the current thread's context.
    @discardableResult
    public class func mr_find(byAttribute attribute: String, withValue searchValue: Any?) -> [NSManagedObject]? {
        mr_find(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    /// Returns the objects with an attribute that equals `searchValue`, sorted. See
    /// ``mr_requestAllSorted(by:ascending:with:in:)`` for the sort term.
    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, andOrderBy sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> [NSManagedObject]? {
        mr_findAllSorted(
            by: sortTerm ?? "", ascending: ascending, with: equality(attribute, searchValue), in: context)
    }

    /// Returns the objects with an attribute that equals `searchValue`, sorted, in the current thread's context.
    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, andOrderBy sortTerm: String?, ascending: Bool
    ) -> [NSManagedObject]? {
        mr_find(
            byAttribute: attribute, withValue: searchValue, andOrderBy: sortTerm, ascending: ascending,
            in: ThreadContexts.current())
    }
}

// MARK: One object; nil if there is none, or after an error.

extension NSManagedObject {
    /// Returns an arbitrary object of a context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstInContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(in context: NSManagedObjectContext) -> Self? {
        mr_findFirst(with: nil, in: context)
    }

    /// Returns an arbitrary object of the current thread's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirst)
    #endif
    @discardableResult
    public class func mr_findFirst() -> Self? { mr_findFirst(in: ThreadContexts.current()) }

    /// Returns an object that matches a predicate, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, in context: NSManagedObjectContext) -> Self? {
        mr_executeFetchRequestAndReturnFirstObject(mr_requestFirst(with: searchTerm, in: context), in: context)
    }

    /// Returns an object that matches a predicate, in the current thread's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?) -> Self? {
        mr_findFirst(with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns the first object in a sort order that matches a predicate, or nil. See
    /// ``mr_requestAllSorted(by:ascending:with:in:)`` for the sort term.
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

    /// Returns the first object in a sort order that matches a predicate, in the current thread's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:sortedBy:ascending:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool) -> Self?
    {
        mr_findFirst(with: searchTerm, sortedBy: property, ascending: ascending, in: ThreadContexts.current())
    }

    /// Returns an object that matches a predicate, or nil; only `attributes` (names or descriptions) are fetched, others when
    /// accessed.
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

    /// Returns an object that matches a predicate, in the current thread's context, or nil; only `attributes` are fetched,
    /// others when accessed.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:andRetrieveAttributes:)
    #endif
    @discardableResult
    public class func mr_findFirst(with searchTerm: NSPredicate?, andRetrieveAttributes attributes: [Any]?) -> Self? {
        mr_findFirst(with: searchTerm, andRetrieveAttributes: attributes, in: ThreadContexts.current())
    }

    /// Returns the first object in a sort order that matches a predicate, or nil; only `attributes` are fetched, others when
    /// accessed. (The original took variadic arguments, which Swift cannot pass, and ignored all but the first.)
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool, in context: NSManagedObjectContext,
        andRetrieveAttributes attributes: [String]
    ) -> Self? {
        let request = mr_requestAllSorted(by: property ?? "", ascending: ascending, with: searchTerm, in: context)
        request.propertiesToFetch = mr_propertiesNamed(attributes, in: context)
        return mr_executeFetchRequestAndReturnFirstObject(request, in: context)
    }

    /// Returns the first object in a sort order that matches a predicate, in the current thread's context, or nil; only
    /// `attributes` are fetched, others when accessed.
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool,
        andRetrieveAttributes attributes: [String]
    ) -> Self? {
        mr_findFirst(
            with: searchTerm, sortedBy: property, ascending: ascending, in: ThreadContexts.current(),
            andRetrieveAttributes: attributes)
    }

    /// Returns an object with an attribute that equals `searchValue`, or nil; a nil or `NSNull` value means "no value".
    #if canImport(ObjectiveC)
    @objc(MR_findFirstByAttribute:withValue:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> Self? {
        mr_findFirst(with: equality(attribute, searchValue), in: context)
    }

    /// Returns an object with an attribute that equals `searchValue`, in the current thread's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstByAttribute:withValue:)
    #endif
    @discardableResult
    public class func mr_findFirst(byAttribute attribute: String, withValue searchValue: Any?) -> Self? {
        mr_findFirst(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    /// Returns the object with the least value of an attribute, or the greatest if `ascending` is false; nil if there is none.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrderedByAttribute:ascending:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirstOrdered(
        byAttribute attribute: String, ascending: Bool, in context: NSManagedObjectContext
    ) -> Self? {
        mr_findFirst(with: nil, sortedBy: attribute, ascending: ascending, in: context)
    }

    /// Returns the object with the least value of an attribute, or the greatest if `ascending` is false, in the current
    /// thread's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrderedByAttribute:ascending:)
    #endif
    @discardableResult
    public class func mr_findFirstOrdered(byAttribute attribute: String, ascending: Bool) -> Self? {
        mr_findFirstOrdered(byAttribute: attribute, ascending: ascending, in: ThreadContexts.current())
    }

    /// Returns an object with an attribute that equals `searchValue`, or creates one with that value.
    ///
    /// Traps if the entity is unknown, where the original returned nil from a function declared as nonnull.
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

    /// Returns an object with an attribute that equals `searchValue`, or creates one, in the current thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrCreateByAttribute:withValue:)
    #endif
    @discardableResult
    public class func mr_findFirstOrCreate(byAttribute attribute: String, withValue searchValue: Any?) -> Self {
        mr_findFirstOrCreate(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }
}
