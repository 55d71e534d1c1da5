#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension NSManagedObject {
    @available(swift, obsoleted: 1.0)
    @objc(MR_performFetch:)
    public class func objc_MR_performFetch(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) -> Bool {
        mr_performFetch(controller)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchController:delegate:useFileCache:groupedBy:inContext:)
    public class func objc_MR_fetchController_delegate_useFileCache_groupedBy_inContext(
        _ request: NSFetchRequest<any NSFetchRequestResult>, delegate: (any NSFetchedResultsControllerDelegate)?,
        useFileCache: Bool, groupedBy group: String?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchController(request, delegate: delegate, useFileCache: useFileCache, groupedBy: group, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllWithDelegate:)
    public class func objc_MR_fetchAllWithDelegate(_ delegate: (any NSFetchedResultsControllerDelegate)?)
        -> NSFetchedResultsController<any NSFetchRequestResult>
    {
        mr_fetchAll(with: delegate)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllWithDelegate:inContext:)
    public class func objc_MR_fetchAllWithDelegate_inContext(
        _ delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAll(with: delegate, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:)
    public class func objc_MR_fetchAllSortedBy_ascending_withPredicate_groupBy_delegate(
        _ sortTerm: String?, ascending: Bool, predicate: NSPredicate?, group: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllSorted(by: sortTerm, ascending: ascending, with: predicate, groupBy: group, delegate: delegate)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:inContext:)
    public class func objc_MR_fetchAllSortedBy_ascending_withPredicate_groupBy_delegate_inContext(
        _ sortTerm: String?, ascending: Bool, predicate: NSPredicate?, group: String?,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllSorted(
            by: sortTerm, ascending: ascending, with: predicate, groupBy: group, delegate: delegate, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:)
    public class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:inContext:)
    public class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_inContext(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:)
    public class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_delegate(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, delegate: delegate)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:inContext:)
    public class func objc_MR_fetchAllGroupedBy_withPredicate_sortedBy_ascending_delegate_inContext(
        _ group: String?, predicate: NSPredicate?, sortTerm: String?, ascending: Bool,
        delegate: (any NSFetchedResultsControllerDelegate)?, in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        mr_fetchAllGrouped(
            by: group, with: predicate, sortedBy: sortTerm, ascending: ascending, delegate: delegate, in: context)
    }
}

// The original took a list of arguments here, of which all but the first were ignored; so they are.

extension NSManagedObject {
    @available(swift, obsoleted: 1.0)
    @objc(MR_findFirstWithPredicate:sortedBy:ascending:andRetrieveAttributes:)
    public class func objc_MR_findFirstWithPredicate_sortedBy_ascending_andRetrieveAttributes(
        _ predicate: NSPredicate?, sortedBy property: String?, ascending: Bool, attributes: [String]
    ) -> Self? {
        mr_findFirst(with: predicate, sortedBy: property, ascending: ascending, andRetrieveAttributes: attributes)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_findFirstWithPredicate:sortedBy:ascending:inContext:andRetrieveAttributes:)
    public class func objc_MR_findFirstWithPredicate_sortedBy_ascending_inContext_andRetrieveAttributes(
        _ predicate: NSPredicate?, sortedBy property: String?, ascending: Bool, in context: NSManagedObjectContext,
        attributes: [String]
    ) -> Self? {
        mr_findFirst(
            with: predicate, sortedBy: property, ascending: ascending, in: context, andRetrieveAttributes: attributes)
    }
}
#endif
