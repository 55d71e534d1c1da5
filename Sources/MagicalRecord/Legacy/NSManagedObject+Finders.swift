import CoreData

extension NSManagedObject {
    /// Executes a request on the context's queue; returns nil after an error, which goes to the error handler.
    ///
    /// Uses the current thread's context unless given one.
    ///
    /// Requests for dictionaries, IDs or counts fail: the original returned their results in an array declared to hold objects,
    /// which Swift does not allow. Use the context's own functions for them.
    @discardableResult
    public class func mr_execute(
        _ request: NSFetchRequest<some NSFetchRequestResult>, in context: NSManagedObjectContext = .currentThread
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

    /// Executes a request as ``mr_execute(_:in:)``; the name that older Swift importers gave it.
    @discardableResult
    public class func mr_executeFetchRequest(
        _ request: NSFetchRequest<some NSFetchRequestResult>, in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject]? { mr_execute(request, in: context) }

    /// Returns the first object of a request, or nil. The request's limit stays unchanged (the original changed it).
    @discardableResult
    public class func mr_executeFetchRequestAndReturnFirstObject(
        _ request: NSFetchRequest<some NSFetchRequestResult>, in context: NSManagedObjectContext = .currentThread
    ) -> Self? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return mr_execute(request, in: context)?.first as? Self
    }

    // MARK: Several objects; nil only after an error, which goes to the error handler.

    /// Returns the objects that match a predicate; nil matches all.
    @discardableResult
    public class func mr_findAll(
        with searchTerm: NSPredicate? = nil, in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject]? { mr_execute(mr_requestAll(with: searchTerm, in: context), in: context) }

    /// Returns the objects that match a predicate, sorted as by ``mr_requestAllSorted(by:ascending:with:in:)``.
    @discardableResult
    public class func mr_findAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate? = nil,
        in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject]? {
        mr_execute(
            mr_requestAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: context), in: context)
    }

    /// Returns the objects with an attribute that equals `searchValue`; nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject]? { mr_findAll(with: equality(attribute, searchValue), in: context) }

    /// Returns the objects of ``mr_find(byAttribute:withValue:in:)``, sorted as ``mr_findAllSorted(by:ascending:with:in:)``.
    @discardableResult
    public class func mr_find(
        byAttribute attribute: String, withValue searchValue: Any?, andOrderBy sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject]? {
        mr_findAllSorted(
            by: sortTerm ?? "", ascending: ascending, with: equality(attribute, searchValue), in: context)
    }

    // MARK: One object; nil if there is none, or after an error.

    /// Returns an arbitrary object that matches a predicate, or nil; a nil predicate matches all.
    ///
    /// If `attributes` (names or descriptions) are given, only these are fetched, others when accessed.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstWithPredicate:andRetrieveAttributes:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate? = nil, andRetrieveAttributes attributes: [Any]? = nil,
        in context: NSManagedObjectContext = .currentThread
    ) -> Self? {
        let request = mr_requestFirst(with: searchTerm, in: context)
        request.propertiesToFetch = attributes
        return mr_executeFetchRequestAndReturnFirstObject(request, in: context)
    }

    /// Returns the first object of ``mr_findAllSorted(by:ascending:with:in:)``, or nil.
    ///
    /// If `attributes` are given, only these are fetched, others when accessed. (The original took variadic arguments, which
    /// Swift cannot pass, and ignored all but the first.)
    @discardableResult
    public class func mr_findFirst(
        with searchTerm: NSPredicate?, sortedBy property: String?, ascending: Bool,
        in context: NSManagedObjectContext = .currentThread, andRetrieveAttributes attributes: [String]? = nil
    ) -> Self? {
        let request = mr_requestAllSorted(by: property ?? "", ascending: ascending, with: searchTerm, in: context)
        request.propertiesToFetch = attributes.flatMap { mr_propertiesNamed($0, in: context) }
        return mr_executeFetchRequestAndReturnFirstObject(request, in: context)
    }

    /// Returns an object with an attribute that equals `searchValue`, or nil; a nil or `NSNull` value means "no value".
    #if canImport(ObjectiveC)
    @objc(MR_findFirstByAttribute:withValue:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext = .currentThread
    ) -> Self? { mr_findFirst(with: equality(attribute, searchValue), in: context) }

    /// Returns the object with the least value of an attribute, or the greatest if `ascending` is false; nil if there is none.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrderedByAttribute:ascending:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirstOrdered(
        byAttribute attribute: String, ascending: Bool, in context: NSManagedObjectContext = .currentThread
    ) -> Self? { mr_findFirst(with: nil, sortedBy: attribute, ascending: ascending, in: context) }

    /// Returns an object with an attribute that equals `searchValue`, or creates one with that value.
    ///
    /// Traps if the entity is unknown, where the original returned nil from a function declared as nonnull.
    #if canImport(ObjectiveC)
    @objc(MR_findFirstOrCreateByAttribute:withValue:inContext:)
    #endif
    @discardableResult
    public class func mr_findFirstOrCreate(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext = .currentThread
    ) -> Self {
        if let found = mr_findFirst(byAttribute: attribute, withValue: searchValue, in: context) { return found }
        guard let object = mr_createEntity(in: context) else {
            preconditionFailure("The model has no entity for \(self). See the error handler's message.")
        }
        context.runAndWait { object.setValue(searchValue is NSNull ? nil : searchValue, forKey: attribute) }
        return object
    }
}
