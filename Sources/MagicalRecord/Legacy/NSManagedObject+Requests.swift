import CoreData

/// A fetch request of any result type, as in Objective-C.
public typealias MRFetchRequest = NSFetchRequest<any NSFetchRequestResult>

extension NSManagedObject {
    /// Returns a request for all objects of the entity in a context, by default the current thread's.
    @discardableResult
    public class func mr_createFetchRequest(in context: NSManagedObjectContext = .currentThread) -> MRFetchRequest {
        let request = MRFetchRequest(entityName: mr_entityName())
        if let entity = mr_entityDescription(in: context) { request.entity = entity }
        return request
    }

    /// Returns a request for the objects that match a predicate; nil matches all.
    @discardableResult
    public class func mr_requestAll(
        with searchTerm: NSPredicate? = nil, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchRequest {
        let request = mr_createFetchRequest(in: context)
        request.predicate = searchTerm
        return request
    }

    /// Returns a request for the objects with a property, or key path, that equals `value`. nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_requestAllWhere(
        _ property: String, isEqualTo value: Any?, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchRequest { mr_requestAll(with: equality(property, value), in: context) }

    /// Returns a request for one object that matches a predicate.
    @discardableResult
    public class func mr_requestFirst(
        with searchTerm: NSPredicate?, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchRequest {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.fetchLimit = 1
        return request
    }

    /// Returns a request for one object with an attribute that equals `searchValue`; nil and `NSNull` mean "no value".
    @discardableResult
    public class func mr_requestFirst(
        byAttribute attribute: String, withValue searchValue: Any?, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchRequest { mr_requestFirst(with: equality(attribute, searchValue), in: context) }

    /// Returns a sorted request, in batches of ``mr_defaultBatchSize()``, for the objects that match a predicate.
    ///
    /// The sort term consists of keys separated by commas. A key may be followed by `:YES` (ascending) or `:NO` (descending),
    /// which overrides `ascending`. (The original did not allow blanks in the term.)
    @discardableResult
    public class func mr_requestAllSorted(
        by sortTerm: String, ascending: Bool, with searchTerm: NSPredicate? = nil,
        in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchRequest {
        let request = mr_requestAll(with: searchTerm, in: context)
        request.sortDescriptors = descriptors(sortTerm, ascending: ascending)
        request.fetchBatchSize = Int(mr_defaultBatchSize())
        return request
    }

    static func equality(_ property: String, _ value: Any?) -> NSPredicate {
        guard let value, !(value is NSNull) else {
            return NSPredicate(format: "%K == nil", argumentArray: [property])
        }
        return NSPredicate(format: "%K == %@", argumentArray: [property, value])
    }

    /// Returns the descriptors of a sort term: `lastName,age:NO`.
    private static func descriptors(_ sortTerm: String, ascending: Bool) -> [NSSortDescriptor] {
        sortTerm.split(separator: ",").compactMap { piece in
            let parts = piece.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard let key = parts.first, !key.isEmpty else { return nil }
            let direction = parts.count > 1 ? parts.last.map { ($0 as NSString).boolValue } : nil
            return NSSortDescriptor(key: key, ascending: direction ?? ascending)
        }
    }
}
