#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions with types that Swift cannot export; MagicalRecordObjC declares them.

extension NSManagedObject {
    @objc(MR_createFetchRequest)
    class func objc_createFetchRequest() -> MRFetchRequest { mr_createFetchRequest() }

    @objc(MR_createFetchRequestInContext:)
    class func objc_createFetchRequest(_ context: NSManagedObjectContext) -> MRFetchRequest {
        mr_createFetchRequest(in: context)
    }

    @objc(MR_requestAll)
    class func objc_requestAll() -> MRFetchRequest { mr_requestAll() }

    @objc(MR_requestAllInContext:)
    class func objc_requestAll(_ context: NSManagedObjectContext) -> MRFetchRequest { mr_requestAll(in: context) }

    @objc(MR_requestAllWithPredicate:)
    class func objc_requestAll(_ predicate: NSPredicate?) -> MRFetchRequest { mr_requestAll(with: predicate) }

    @objc(MR_requestAllWithPredicate:inContext:)
    class func objc_requestAll(_ predicate: NSPredicate?, _ context: NSManagedObjectContext) -> MRFetchRequest {
        mr_requestAll(with: predicate, in: context)
    }

    @objc(MR_requestAllWhere:isEqualTo:)
    class func objc_requestAll(_ property: String, _ value: Any?) -> MRFetchRequest {
        mr_requestAllWhere(property, isEqualTo: value)
    }

    @objc(MR_requestAllWhere:isEqualTo:inContext:)
    class func objc_requestAll(_ property: String, _ value: Any?, _ context: NSManagedObjectContext) -> MRFetchRequest {
        mr_requestAllWhere(property, isEqualTo: value, in: context)
    }

    @objc(MR_requestFirstWithPredicate:)
    class func objc_requestFirst(_ predicate: NSPredicate?) -> MRFetchRequest { mr_requestFirst(with: predicate) }

    @objc(MR_requestFirstWithPredicate:inContext:)
    class func objc_requestFirst(_ predicate: NSPredicate?, _ context: NSManagedObjectContext) -> MRFetchRequest {
        mr_requestFirst(with: predicate, in: context)
    }

    @objc(MR_requestFirstByAttribute:withValue:)
    class func objc_requestFirst(_ attribute: String, _ value: Any?) -> MRFetchRequest {
        mr_requestFirst(byAttribute: attribute, withValue: value)
    }

    @objc(MR_requestFirstByAttribute:withValue:inContext:)
    class func objc_requestFirst(
        _ attribute: String, _ value: Any?, _ context: NSManagedObjectContext
    ) -> MRFetchRequest { mr_requestFirst(byAttribute: attribute, withValue: value, in: context) }

    @objc(MR_requestAllSortedBy:ascending:)
    class func objc_requestAll(_ term: String?, _ ascending: Bool) -> MRFetchRequest {
        mr_requestAllSorted(by: term ?? "", ascending: ascending)
    }

    @objc(MR_requestAllSortedBy:ascending:inContext:)
    class func objc_requestAll(_ term: String?, _ ascending: Bool, _ context: NSManagedObjectContext) -> MRFetchRequest
    {
        mr_requestAllSorted(by: term ?? "", ascending: ascending, in: context)
    }

    @objc(MR_requestAllSortedBy:ascending:withPredicate:)
    class func objc_requestAll(_ term: String?, _ ascending: Bool, _ predicate: NSPredicate?) -> MRFetchRequest {
        mr_requestAllSorted(by: term ?? "", ascending: ascending, with: predicate)
    }

    @objc(MR_requestAllSortedBy:ascending:withPredicate:inContext:)
    class func objc_requestAll(
        _ term: String?, _ ascending: Bool, _ predicate: NSPredicate?, _ context: NSManagedObjectContext
    ) -> MRFetchRequest { mr_requestAllSorted(by: term ?? "", ascending: ascending, with: predicate, in: context) }

    @objc(MR_executeFetchRequestAndReturnFirstObject:)
    class func objc_first(_ request: MRFetchRequest) -> Any? { objc_first(request, .currentThread) }

    /// Returns the first result of a request of any result type, or nil. The request's limit stays unchanged.
    @objc(MR_executeFetchRequestAndReturnFirstObject:inContext:)
    class func objc_first(_ request: MRFetchRequest, _ context: NSManagedObjectContext) -> Any? {
        let limit = request.fetchLimit
        request.fetchLimit = 1
        defer { request.fetchLimit = limit }
        return MagicalRecord.reporting { try context.runAndWait { try context.results(of: request).first } } ?? nil
    }

    // MARK: Results controllers

    typealias ResultsDelegate = any NSFetchedResultsControllerDelegate

    @objc(MR_performFetch:)
    class func objc_performFetch(_ controller: MRFetchedResultsController) -> Bool { mr_performFetch(controller) }

    @objc(MR_fetchController:delegate:useFileCache:groupedBy:inContext:)
    class func objc_fetchController(
        _ request: MRFetchRequest, _ delegate: ResultsDelegate?, _ useFileCache: Bool, _ group: String?,
        _ context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchController(request, delegate: delegate, useFileCache: useFileCache, groupedBy: group, in: context)
    }

    @objc(MR_fetchAllWithDelegate:)
    class func objc_fetchAll(_ delegate: ResultsDelegate?) -> MRFetchedResultsController { mr_fetchAll(with: delegate) }

    @objc(MR_fetchAllWithDelegate:inContext:)
    class func objc_fetchAll(_ delegate: ResultsDelegate?, _ context: NSManagedObjectContext)
        -> MRFetchedResultsController
    {
        mr_fetchAll(with: delegate, in: context)
    }

    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:)
    class func objc_fetchAll(
        _ term: String?, _ ascending: Bool, _ predicate: NSPredicate?, _ group: String?, _ delegate: ResultsDelegate?
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(by: term, ascending: ascending, with: predicate, groupBy: group, delegate: delegate)
    }

    @objc(MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:inContext:)
    class func objc_fetchAll(
        _ term: String?, _ ascending: Bool, _ predicate: NSPredicate?, _ group: String?, _ delegate: ResultsDelegate?,
        _ context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllSorted(
            by: term, ascending: ascending, with: predicate, groupBy: group, delegate: delegate, in: context)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:)
    class func objc_fetchAllGrouped(
        _ group: String?, _ predicate: NSPredicate?, _ term: String?, _ ascending: Bool
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: term, ascending: ascending)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:inContext:)
    class func objc_fetchAllGrouped(
        _ group: String?, _ predicate: NSPredicate?, _ term: String?, _ ascending: Bool,
        _ context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: term, ascending: ascending, in: context)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:)
    class func objc_fetchAllGrouped(
        _ group: String?, _ predicate: NSPredicate?, _ term: String?, _ ascending: Bool, _ delegate: ResultsDelegate?
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(by: group, with: predicate, sortedBy: term, ascending: ascending, delegate: delegate)
    }

    @objc(MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:inContext:)
    class func objc_fetchAllGrouped(
        _ group: String?, _ predicate: NSPredicate?, _ term: String?, _ ascending: Bool, _ delegate: ResultsDelegate?,
        _ context: NSManagedObjectContext
    ) -> MRFetchedResultsController {
        mr_fetchAllGrouped(
            by: group, with: predicate, sortedBy: term, ascending: ascending, delegate: delegate, in: context)
    }
}
#endif
