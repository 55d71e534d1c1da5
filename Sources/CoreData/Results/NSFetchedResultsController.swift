import Foundation

/// Keeps the results of a fetch, in sections, up to date with the changes of a context.
///
/// Tracks changes while it has a delegate. Everything happens on the context's queue: use the controller there only.
///
/// A change of some objects costs a copy of the list of results and a search for each changed object, not a fetch.
/// Grouping into sections looks at every object when fetching, unless the sections are in the cache: a file in the user's
/// caches folder, used as long as the stores' files are as they were.
open class NSFetchedResultsController<ResultType>: FetchedResultsControllerBase
where ResultType: NSFetchRequestResult {
    /// A controller for a request, whose sort descriptors must not be nil. An empty list leaves the order unspecified.
    ///
    /// - Parameters:
    ///   - fetchRequest: what to fetch. Changing it takes effect at the next `performFetch()`.
    ///   - context: where to fetch and what to watch.
    ///   - sectionNameKeyPath: leads from an object to the name of its section; nil means one section. The first sort
    ///     descriptor must keep the objects of a section together.
    ///   - name: the name of the cache for the sections; nil for none. One name belongs to one request and key path.
    ///     Only file stores are cached, when the context has no unsaved changes.
    public init(
        fetchRequest: NSFetchRequest<ResultType>,
        managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName name: String?
    ) {
        super.init(request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
    }

    /// A controller of an empty request, for code written against Objective-C's `init`. Fetching with it throws.
    ///
    /// Designated, as Apple's is, so that mocks may override it: `override init() { super.init() }`.
    public init() {
        let request = NSFetchRequest<ResultType>()
        request.sortDescriptors = []
        super.init(
            request: request, context: NSManagedObjectContext(.privateQueue), sectionNameKeyPath: nil, cacheName: nil)
    }

    // Delegates get controllers of any result type as `NSFetchedResultsController<NSFetchRequestResult>`. Off Apple generic
    // classes do not convert into each other, so the very same object is passed under that name. What these give has the
    // same form in memory whatever the result type is called: results are objects.

    /// The request. Changing it takes effect at the next `performFetch()`.
    open var fetchRequest: NSFetchRequest<ResultType> {
        Retyping.reference(untypedRequest)
    }

    /// The results, in order; nil before `performFetch()`. Costs nothing for results of a class of objects.
    open var fetchedObjects: [ResultType]? {
        // Arrays of references are the same memory whatever class the elements are known by.
        results.map { unsafeBitCast($0.objects, to: [ResultType].self) }
    }

    /// The result at a section and item. Traps when there is none.
    open func object(at indexPath: IndexPath) -> ResultType {
        untypedObject(at: indexPath) as! ResultType
    }

    /// Where a result is; nil for objects that are not among the results.
    ///
    /// The first call after a fetch costs a walk over the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        position(of: object as AnyObject).flatMap { results?.indexPath(at: $0) }
    }
}
