import CoreData

/// A request of any result type, as Objective-C has them.
public typealias MRFetchRequest = NSFetchRequest<any NSFetchRequestResult>

extension NSManagedObject {
    /// A request for all objects of the entity.
    @discardableResult
    public class func mr_createFetchRequest(in context: NSManagedObjectContext) -> MRFetchRequest {
        let request = MRFetchRequest(entityName: mr_entityName())
        if let entity = mr_entityDescription(in: context) { request.entity = entity }
        return request
    }

    /// A request for the entity, for the thread's context.
    @discardableResult
    public class func mr_createFetchRequest() -> MRFetchRequest { mr_createFetchRequest(in: ThreadContexts.current()) }

    /// A request for all objects.
    @discardableResult
    public class func mr_requestAll(in context: NSManagedObjectContext) -> MRFetchRequest {
        mr_createFetchRequest(in: context)
    }

    /// A request for all objects, for the thread's context.
    @discardableResult
    public class func mr_requestAll() -> MRFetchRequest { mr_requestAll(in: ThreadContexts.current()) }

    /// A request for what fulfils a predicate.
    @discardableResult
    public class func mr_requestAll(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        let request = mr_createFetchRequest(in: context)
        request.predicate = searchTerm
        return request
    }

    /// A request for what fulfils a predicate, for the thread's context.
    @discardableResult
    public class func mr_requestAll(with searchTerm: NSPredicate?) -> MRFetchRequest {
        mr_requestAll(with: searchTerm, in: ThreadContexts.current())
    }

    /// A request for the objects whose property, or key path, equals the value. `nil` and `NSNull` mean "no value".
    @discardableResult
    public class func mr_requestAllWhere(
        _ property: String, isEqualTo value: Any?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        mr_requestAll(with: equality(property, value), in: context)
    }

    /// A request for the objects with that value, for the thread's context.
    @discardableResult
    public class func mr_requestAllWhere(_ property: String, isEqualTo value: Any?) -> MRFetchRequest {
        mr_requestAllWhere(property, isEqualTo: value, in: ThreadContexts.current())
    }

    /// A request for one object that fulfils a predicate.
    @discardableResult
    public class func mr_requestFirst(with searchTerm: NSPredicate?, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.fetchLimit = 1
        return request
    }

    /// A request for one object that fulfils a predicate, for the thread's context.
    @discardableResult
    public class func mr_requestFirst(with searchTerm: NSPredicate?) -> MRFetchRequest {
        mr_requestFirst(with: searchTerm, in: ThreadContexts.current())
    }

    @discardableResult
    public class func mr_requestFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        mr_requestFirst(with: equality(attribute, searchValue), in: context)
    }

    /// A request for one object with that value, for the thread's context.
    @discardableResult
    public class func mr_requestFirst(byAttribute attribute: String, withValue searchValue: Any?) -> MRFetchRequest {
        mr_requestFirst(byAttribute: attribute, withValue: searchValue, in: ThreadContexts.current())
    }

    /// A request in the order of a sort term: keys with commas between, each with `:YES` or `:NO` behind it if it is
    /// not to have the direction of `ascending`. (The original did not allow blanks in the term.)
    @discardableResult
    public class func mr_requestAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?, in context: NSManagedObjectContext
    ) -> MRFetchRequest {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.sortDescriptors = SortTerm.descriptors(sortTerm, ascending: ascending)
        request.fetchBatchSize = Int(mr_defaultBatchSize())
        return request
    }

    /// A request for what fulfils a predicate, sorted, for the thread's context.
    @discardableResult
    public class func mr_requestAllSorted(by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate?)
        -> MRFetchRequest
    {
        mr_requestAllSorted(by: sortTerm, ascending: ascending, with: searchTerm, in: ThreadContexts.current())
    }

    /// A request for all objects, sorted.
    @discardableResult
    public class func mr_requestAllSorted(by sortTerm: String, ascending: Bool, in context: NSManagedObjectContext)
        -> MRFetchRequest
    {
        mr_requestAllSorted(by: sortTerm, ascending: ascending, with: nil, in: context)
    }

    /// A request for all objects, sorted, for the thread's context.
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

/// The original's way of writing an order in one string: `lastName,age:NO`.
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
