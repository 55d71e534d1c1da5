#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.
//
// Internal, since Swift cannot export a results controller without a concrete result type; MagicalRecordObjC declares them.

extension NSManagedObject {
    @objc(MR_performFetch:)
    class func objc_MR_performFetch(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) -> Bool {
        mr_performFetch(controller)
    }

    @objc(MR_fetchController:delegate:useFileCache:groupedBy:inContext:)
    class func objc_MR_fetchController_delegate_useFileCache_groupedBy_inContext(
        _ request: NSFetchRequest<any NSFetchRequestResult>, delegate: (any NSFetchedResultsControllerDelegate)?,
        useFileCache: Bool, groupedBy group: String?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchController(request, delegate: delegate, useFileCache: useFileCache, groupedBy: group, in: context)
    }

    @objc(MR_fetchAllWithDelegate:)
    class func objc_MR_fetchAllWithDelegate(_ delegate: (any NSFetchedResultsControllerDelegate)?)
        -> NSFetchedResultsController<any NSFetchRequestResult>
    {
        mr_fetchAll(with: delegate)
    }

    @objc(MR_fetchAllWithDelegate:inContext:)
    class func objc_MR_fetchAllWithDelegate_inContext(
        _ delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAll(with: delegate, in: context)
    }

    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:)
    class func objc_MR_fetchAllSortedBy_ascending_withPredicate_groupBy_delegate(
        _ sortTerm: String?, ascending: Bool, predicate: NSPredicate?, group: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllSorted(by: sortTerm, ascending: ascending, with: predicate, groupBy: group, delegate: delegate)
    }

    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:inContext:)
    class func objc_MR_fetchAllSortedBy_ascending_withPredicate_groupBy_delegate_inContext(
        _ sortTerm: String?, ascending: Bool, predicate: NSPredicate?, group: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: predicate, groupBy: group, delegate: delegate, in: context)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:)
    class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:inContext:)
    class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_inContext(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, in: context)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:)
    class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_delegate(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, delegate: delegate)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:inContext:)
    class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_delegate_inContext(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(
            by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, delegate: delegate, in: context)
    }
}
#endif
