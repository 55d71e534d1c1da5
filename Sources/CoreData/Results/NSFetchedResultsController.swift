import Foundation

/// Keeps the results of a fetch, arranged in sections, up to date with the changes of a context.
///
/// Changes are tracked while there is a delegate. The controller must be used on the context's queue only.
///
/// A change costs a copy of the array of results and a binary search for each changed object, but no fetch. Grouping into
/// sections reads every object after a fetch, unless the sections are cached: in a file in the user's caches folder, which is
/// valid as long as the stores' files are unchanged.
open class NSFetchedResultsController<ResultType>: FetchedResultsControllerBase
where ResultType: NSFetchRequestResult {
    /// Creates a controller for a request, which must have sort descriptors. An empty array leaves the order unspecified.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request. Changing it takes effect at the next `performFetch()`.
    ///   - context: The context to fetch from and to observe.
    ///   - sectionNameKeyPath: The key path from an object to the name of its section; nil for a single section. The first sort
    ///     descriptor must keep the objects of a section together.
    ///   - name: The name of the cache for the sections; nil for no cache. A name belongs to one request and key path. Only
    ///     results from file stores are cached, and only while the context has no unsaved changes.
    public init(
        fetchRequest: NSFetchRequest<ResultType>,
        managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName name: String?
    ) {
        super.init(request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
    }

    /// Creates a controller for an empty request, for code written against Objective-C's `init`. Fetching with it throws.
    ///
    /// Designated, as Apple's is, so that mocks can override it: `override init() { super.init() }`.
    public init() {
        let request = NSFetchRequest<ResultType>()
        request.sortDescriptors = []
        super.init(
            request: request, context: NSManagedObjectContext(.privateQueue), sectionNameKeyPath: nil, cacheName: nil)
    }

    // Delegates get controllers of any result type as `NSFetchedResultsController<NSFetchRequestResult>`. Off Apple's platforms
    // generic classes are not covariant, so the same object is passed under that type. Its members work regardless of the
    // result type, because results are object references.

    /// The request. Changing it takes effect at the next `performFetch()`.
    open var fetchRequest: NSFetchRequest<ResultType> {
        Retyping.reference(untypedRequest)
    }

    /// The results, in order; nil before `performFetch()`. O(1).
    open var fetchedObjects: [ResultType]? {
        // Arrays of references have the same memory layout whatever the class of the elements.
        results.map { unsafeBitCast($0.objects, to: [ResultType].self) }
    }

    /// Returns the result at a section and item. Traps if there is none.
    open func object(at indexPath: IndexPath) -> ResultType {
        untypedObject(at: indexPath) as! ResultType
    }

    /// Returns the index path of a result; nil for objects that are not among the results.
    ///
    /// The first call after a fetch is O(n).
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        position(of: object as AnyObject).flatMap { results?.indexPath(at: $0) }
    }
}
