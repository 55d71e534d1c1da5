import CoreData

/// A results controller of any result type, as in Objective-C.
public typealias MRFetchedResultsController = NSFetchedResultsController<any NSFetchRequestResult>

extension NSManagedObject {
    /// Performs a controller's fetch, on its context's queue; returns false after an error, which goes to the error handler.
    @discardableResult
    public class func mr_performFetch<Result>(_ controller: NSFetchedResultsController<Result>) -> Bool {
        let fetched: Void? = MagicalRecord.reporting {
            try controller.managedObjectContext.performFetch(of: controller)
        }
        return fetched != nil
    }

    /// Returns a results controller for a request, which has not been fetched yet.
    ///
    /// Use a controller on its context's queue: the main queue for user interfaces.
    ///
    /// - Parameters:
    ///   - request: the request. One without sort descriptors gets default ones, see ``mr_fetchAll(with:in:)``.
    ///   - useFileCache: whether sections are cached on disk, on platforms that support this. The cache's name depends on the
    ///     predicate, the order and the grouping. (The original used one name for a whole class.)
    ///   - groupKeyPath: the key path that groups objects into sections, or nil. The first sort key must keep sections
    ///     together.
    ///   - delegate: the receiver of changes.
    ///   - context: the context of the objects.
    @discardableResult
    public class func mr_fetchController<Result>(
        _ request: NSFetchRequest<Result>, delegate: (any NSFetchedResultsControllerDelegate)?, useFileCache: Bool,
        groupedBy groupKeyPath: String?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<Result> {
        if request.sortDescriptors?.isEmpty ?? true {
            request.sortDescriptors = FetchedResultsOrder.fallback(for: self, grouping: groupKeyPath, in: context)
        }
        let cache = useFileCache ? FetchedResultsCache.name(for: self, request, groupKeyPath) : nil
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: groupKeyPath, cacheName: cache)
        controller.delegate = delegate
        return controller
    }

    /// Returns a results controller for all objects, fetched.
    ///
    /// Controllers need an order. The default is the grouping, then the import key, or else the first attribute. (The original
    /// failed here.)
    @discardableResult
    public class func mr_fetchAll(
        with delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        fetched(mr_requestAll(in: context), delegate, nil, context)
    }

    /// Returns a results controller for all objects of the current thread's context, fetched.
    @discardableResult
    public class func mr_fetchAll(with delegate: (any NSFetchedResultsControllerDelegate)?)
        -> MRFetchedResultsController
    {
        mr_fetchAll(with: delegate, in: ThreadContexts.current())
    }

    /// Returns a results controller for the objects that match a predicate, sorted and grouped, fetched. See
    /// ``mr_requestAllSorted(by:ascending:with:in:)`` for the sort term. An error of the fetch goes to the error handler.
    @discardableResult
    public class func mr_fetchAllSorted(
        by sortTerm: String?, ascending: Bool, with searchTerm: NSPredicate?, groupBy groupingKeyPath: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        let request = mr_requestAllSorted(by: sortTerm ?? "", ascending: ascending, with: searchTerm, in: context)
        return fetched(request, delegate, groupingKeyPath, context)
    }

    /// Returns a results controller for the objects that match a predicate, sorted and grouped, in the current thread's
    /// context, fetched.
    @discardableResult
    public class func mr_fetchAllSorted(
        by sortTerm: String?, ascending: Bool, with searchTerm: NSPredicate?, groupBy groupingKeyPath: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: searchTerm, groupBy: groupingKeyPath, delegate: delegate,
            in: ThreadContexts.current())
    }

    /// Returns the same as ``mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)``, with the grouping as the first
    /// argument.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: searchTerm, groupBy: group, delegate: delegate, in: context)
    }

    /// Returns a results controller for the objects that match a predicate, grouped and sorted, in the current thread's
    /// context, fetched.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: searchTerm, sortedBy: sortTerm, ascending: ascending, delegate: delegate,
            in: ThreadContexts.current())
    }

    /// Returns a results controller without a delegate for the objects that match a predicate, grouped and sorted, fetched.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: searchTerm, sortedBy: sortTerm, ascending: ascending, delegate: nil, in: context)
    }

    /// Returns a results controller without a delegate for the objects that match a predicate, grouped and sorted, in the
    /// current thread's context, fetched.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: searchTerm, sortedBy: sortTerm, ascending: ascending, in: ThreadContexts.current())
    }

    private class func fetched(
        _ request: MRFetchRequest, _ delegate: (any NSFetchedResultsControllerDelegate)?, _ group: String?,
        _ context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        let controller = mr_fetchController(
            request, delegate: delegate, useFileCache: false, groupedBy: group, in: context)
        mr_performFetch(controller)
        return controller
    }
}
