import CoreData

/// A controller of any result type, as Objective-C has them.
public typealias MRFetchedResultsController = NSFetchedResultsController<any NSFetchRequestResult>

extension NSManagedObject {
    /// Has a controller fetch, on its context's queue. False when that fails; the error goes to the error handler.
    @discardableResult
    public class func mr_performFetch<Result>(_ controller: NSFetchedResultsController<Result>) -> Bool {
        let fetched: Void? = MagicalRecord.reporting {
            try controller.managedObjectContext.performFetch(of: controller)
        }
        return fetched != nil
    }

    /// A controller for a request. It has not fetched yet.
    ///
    /// Everything about a controller happens on its context's queue: the main one for user interfaces.
    ///
    /// - Parameters:
    ///   - request: what to fetch. A request without an order gets one, see ``mr_fetchAll(with:in:)``.
    ///   - useFileCache: whether sections are kept on disk, where the platform does that. The cache's name tells
    ///     requests apart by predicate, order and grouping. (The original's was the same for a whole class.)
    ///   - groupKeyPath: what objects of one section share. The first sort key must keep them together.
    ///   - delegate: who hears of changes.
    ///   - context: whose objects they are.
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

    /// A controller for all objects, fetched at once.
    ///
    /// A controller needs an order; where none is given, objects are ordered by what they are grouped by, then by what
    /// identifies them in imports, or else by their first attribute. (The original could not do this at all.)
    @discardableResult
    public class func mr_fetchAll(
        with delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        fetched(mr_requestAll(in: context), delegate, nil, context)
    }

    /// All objects, unsorted, as a controller over the thread's context that has fetched.
    @discardableResult
    public class func mr_fetchAll(with delegate: (any NSFetchedResultsControllerDelegate)?)
        -> MRFetchedResultsController
    {
        mr_fetchAll(with: delegate, in: ThreadContexts.current())
    }

    /// A controller for the objects that match, in the order of a sort term, fetched at once. When the fetch fails the
    /// error goes to the error handler, and the controller is returned all the same.
    @discardableResult
    public class func mr_fetchAllSorted(
        by sortTerm: String?, ascending: Bool, with searchTerm: NSPredicate?, groupBy groupingKeyPath: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        let request = mr_requestAllSorted(by: sortTerm ?? "", ascending: ascending, with: searchTerm, in: context)
        return fetched(request, delegate, groupingKeyPath, context)
    }

    @discardableResult
    public class func mr_fetchAllSorted(
        by sortTerm: String?, ascending: Bool, with searchTerm: NSPredicate?, groupBy groupingKeyPath: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: searchTerm, groupBy: groupingKeyPath, delegate: delegate,
            in: ThreadContexts.current())
    }

    /// As ``mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)``, with the grouping first.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: searchTerm, groupBy: group, delegate: delegate, in: context)
    }

    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: searchTerm, sortedBy: sortTerm, ascending: ascending, delegate: delegate,
            in: ThreadContexts.current())
    }

    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: searchTerm, sortedBy: sortTerm, ascending: ascending, delegate: nil, in: context)
    }

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
