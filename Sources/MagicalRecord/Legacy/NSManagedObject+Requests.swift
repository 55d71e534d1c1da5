import CoreData

/// A fetch request of any result type, as in Objective-C.
public typealias MRFetchRequest = NSFetchRequest<any NSFetchRequestResult>

extension NSManagedObject {
    /// Returns a request for all objects of the entity.
    @discardableResult
    public class func mr_createFetchRequest(in context: NSManagedObjectContext) -> MRFetchRequest {
        let request = MRFetchRequest(entityName: mr_entityName())
        if let entity = mr_entityDescription(in: context) { request.entity = entity }
        return request
    }

    /// Returns a request for all objects of the entity, for the current thread's context.
    @discardableResult
    public class func mr_createFetchRequest() -> MRFetchRequest { mr_createFetchRequest(in: ThreadContexts.current()) }

    /// Returns a request for all objects.
    @discardableResult
    public class func mr_requestAll(in context: NSManagedObjectContext) -> MRFetchRequest {
        mr_createFetchRequest(in: context)
    }

    /// Returns a request for all objects, for the current thread's context.
    @discardableResult
    public class func mr_requestAll() -> MRFetchRequest { mr_requestAll(in: ThreadContexts.current()) }

    /// Returns a request for the objects that match a predicate; nil matches all.
    @discardableResult
    public class func mr_requestAll(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        let request = mr_createFetchRequest(in: context)
        request.predicate = searchTerm
        return request
    }

    /// Returns a request for the objects that match a predicate, for the current thread's context.
    @discardableResult
    public class func mr_requestAll(with searchTerm: NSPredicate?) -> MRFetchRequest {
        mr_requestAll(with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns a request for the objects with a property, or key path, that equals `value`. nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_requestAllWhere(
        _ property: String, isEqualTo value: Any?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        mr_requestAll(with: equality(property, value), in: context)
    }

    /// Returns a request for the objects with a property that equals `value`, for the current thread's context.
    @discardableResult
    public class func mr_requestAllWhere(_ property: String, isEqualTo value: Any?) -> MRFetchRequest {
        mr_requestAllWhere(property, isEqualTo: value, in: ThreadContexts.current())
    }

    /// Returns a request for one object that matches a predicate.
    @discardableResult
    public class func mr_requestFirst(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.fetchLimit = 1
        return request
    }

    /// Returns a request for one object that matches a predicate, for the current thread's context.
    @discardableResult
    public class func mr_requestFirst(with searchTerm: NSPredicate?) -> MRFetchRequest {
        mr_requestFirst(with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns a request for one object with an attribute that equals `searchValue`; nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_requestFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        mr_requestFirst(with: equality(attribute, searchValue), in: context)
    }

    /// Returns a request for one object with an attribute that equals `searchValue`, for the current thread's context.
    @discardableResult
    public class func mr_requestFirst(byAttribute attribute: String, withValue searchValue: Any?) -> MRFetchRequest {
        mr_requestFirst(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    /// Returns a sorted request, in batches of ``mr_defaultBatchSize()``, for the objects that match a predicate.
    ///
    /// The sort term consists of keys separated by commas. A key may be followed by `:YES` (ascending) or `:NO` (descending),
    /// which overrides `ascending`. (The original did not allow blanks in the term.)
    @discardableResult
    public class func mr_requestAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.sortDescriptors = SortTerm.descriptors(sortTerm, ascending: ascending)
        request.fetchBatchSize = Int(mr_defaultBatchSize())
        return request
    }

    /// Returns a sorted request for the objects that match a predicate, for the current thread's context.
    @discardableResult
    public class func mr_requestAllSorted(by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?)
        -> MRFetchRequest
    {
        mr_requestAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: ThreadContexts.current())
    }

    /// Returns a sorted request for all objects.
    @discardableResult
    public class func mr_requestAllSorted(by sortTerm: String, ascending: Bool, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        mr_requestAllSorted(by: sortTerm, ascending: ascending, with: nil, in: context)
    }

    /// Returns a sorted request for all objects, for the current thread's context.
    @discardableResult
    public class func mr_requestAllSorted(by sortTerm: String, ascending: Bool) -> MRFetchRequest {
        mr_requestAllSorted(by: sortTerm, ascending: ascending, in: ThreadContexts.current())
    }

    static func equality(_ property: String, _ value: Any?) -> NSPredicate {
        guard let value, !(value is NSNull) else {
            return NSPredicate(format: "%K == nil", argumentArray: [property])
        }
        return NSPredicate(format: "%K == %@", argumentArray: [property, value])
    }
}

/// Parses the original's sort terms: `lastName,age:NO`.
enum SortTerm {
    static func descriptors(_ term: String?, ascending: Bool) -> [NSSortDescriptor] {
        guard let term else { return [] }
        return term.split(separator: ",").compactMap { piece in
            let parts = piece.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard let key = parts.first, !key.isEmpty else { return nil }
            let direction = parts.count > 1 ? parts.last.map { ($0 as NSString).boolValue } : nil
            return NSSortDescriptor(key: key, ascending: direction ?? ascending)
        }
    }
}
