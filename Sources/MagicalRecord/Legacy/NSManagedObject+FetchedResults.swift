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
    /// Use a controller on its context's queue: the main queue for user interfaces. A request without sort descriptors gets
    /// default ones, see ``mr_fetchAll(with:in:)``; the first sort key must keep the sections of `groupKeyPath` together.
    ///
    /// `useFileCache` caches the sections on disk, on platforms that support this. The cache's name depends on the predicate,
    /// the order and the grouping. (The original used one name for a whole class.)
    @discardableResult
    public class func mr_fetchController<Result>(
        _ request: NSFetchRequest<Result>, delegate: (any NSFetchedResultsControllerDelegate)?, useFileCache: Bool,
        groupedBy groupKeyPath: String?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<Result> {
        if request.sortDescriptors?.isEmpty ?? true {
            let entity = try? EntityLookup.entity(for: self, in: context)
            request.sortDescriptors = entity.map { FetchedResultsDefaults.order(for: $0, grouping: groupKeyPath) } ?? []
        }
        let cache = useFileCache ? FetchedResultsDefaults.cacheName(for: self, request, groupKeyPath) : nil
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: groupKeyPath, cacheName: cache)
        controller.delegate = delegate
        return controller
    }

    /// Returns a results controller for all objects, by default of the current thread's context, fetched.
    ///
    /// Controllers need an order. The default is the grouping, then the import key, or else the first attribute. (The original
    /// failed here.)
    @discardableResult
    public class func mr_fetchAll(
        with delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchedResultsController { fetched(mr_requestAll(in: context), delegate, nil, context) }

    /// Returns a results controller for the objects that match a predicate, sorted and grouped, fetched. See
    /// ``mr_requestAllSorted(by:ascending:with:in:)`` for the sort term. An error of the fetch goes to the error handler.
    @discardableResult
    public class func mr_fetchAllSorted(
        by sortTerm: String?, ascending: Bool, with searchTerm: NSPredicate?, groupBy groupingKeyPath: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchedResultsController {
        let request = mr_requestAllSorted(by: sortTerm ?? "", ascending: ascending, with: searchTerm, in: context)
        return fetched(request, delegate, groupingKeyPath, context)
    }

    /// Returns the result of ``mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)``, with the grouping as the first
    /// argument.
    @discardableResult
    public class func mr_fetchAllGrouped(
        by group: String?, with searchTerm: NSPredicate?, sortedBy sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext = .currentThread
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: searchTerm, groupBy: group, delegate: delegate, in: context)
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
