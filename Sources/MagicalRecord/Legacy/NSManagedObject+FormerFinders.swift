import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

extension NSManagedObject {
    @discardableResult
    @available(*, unavailable, renamed: "mr_findAll()")
    public static func MR_findAll() -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAll(in:)")
    public static func MR_findAllInContext(_: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAllSorted(by:ascending:)")
    public static func MR_findAllSortedBy(_: Any?, ascending: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAllSorted(by:ascending:in:)")
    public static func MR_findAllSortedBy(_: Any?, ascending: Any?, inContext: Any?) -> [NSManagedObject]? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAllSorted(by:ascending:with:)")
    public static func MR_findAllSortedBy(_: Any?, ascending: Any?, withPredicate: Any?) -> [NSManagedObject]? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAllSorted(by:ascending:with:in:)")
    public static func MR_findAllSortedBy(_: Any?, ascending: Any?, withPredicate: Any?, inContext: Any?)
        -> [NSManagedObject]?
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAll(with:)")
    public static func MR_findAllWithPredicate(_: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findAll(with:in:)")
    public static func MR_findAllWithPredicate(_: Any?, inContext: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst()")
    public static func MR_findFirst() -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(in:)")
    public static func MR_findFirstInContext(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:)")
    public static func MR_findFirstWithPredicate(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:in:)")
    public static func MR_findFirstWithPredicate(_: Any?, inContext: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:sortedBy:ascending:)")
    public static func MR_findFirstWithPredicate(_: Any?, sortedBy: Any?, ascending: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:sortedBy:ascending:in:)")
    public static func MR_findFirstWithPredicate(_: Any?, sortedBy: Any?, ascending: Any?, inContext: Any?) -> Self? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:andRetrieveAttributes:)")
    public static func MR_findFirstWithPredicate(_: Any?, andRetrieveAttributes: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(with:andRetrieveAttributes:in:)")
    public static func MR_findFirstWithPredicate(_: Any?, andRetrieveAttributes: Any?, inContext: Any?) -> Self? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(byAttribute:withValue:)")
    public static func MR_findFirstByAttribute(_: Any?, withValue: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirst(byAttribute:withValue:in:)")
    public static func MR_findFirstByAttribute(_: Any?, withValue: Any?, inContext: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirstOrdered(byAttribute:ascending:)")
    public static func MR_findFirstOrderedByAttribute(_: Any?, ascending: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirstOrdered(byAttribute:ascending:in:)")
    public static func MR_findFirstOrderedByAttribute(_: Any?, ascending: Any?, inContext: Any?) -> Self? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirstOrCreate(byAttribute:withValue:)")
    public static func MR_findFirstOrCreateByAttribute(_: Any?, withValue: Any?) -> Self { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_findFirstOrCreate(byAttribute:withValue:in:)")
    public static func MR_findFirstOrCreateByAttribute(_: Any?, withValue: Any?, inContext: Any?) -> Self {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_find(byAttribute:withValue:)")
    public static func MR_findByAttribute(_: Any?, withValue: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_find(byAttribute:withValue:in:)")
    public static func MR_findByAttribute(_: Any?, withValue: Any?, inContext: Any?) -> [NSManagedObject]? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_find(byAttribute:withValue:andOrderBy:ascending:)")
    public static func MR_findByAttribute(_: Any?, withValue: Any?, andOrderBy: Any?, ascending: Any?)
        -> [NSManagedObject]?
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_find(byAttribute:withValue:andOrderBy:ascending:in:)")
    public static func MR_findByAttribute(_: Any?, withValue: Any?, andOrderBy: Any?, ascending: Any?, inContext: Any?)
        -> [NSManagedObject]?
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchController(_:delegate:useFileCache:groupedBy:in:)")
    public static func MR_fetchController(_: Any?, delegate: Any?, useFileCache: Any?, groupedBy: Any?, inContext: Any?)
        -> NSFetchedResultsController<any NSFetchRequestResult>
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAll(with:)")
    public static func MR_fetchAllWithDelegate(_: Any?) -> NSFetchedResultsController<any NSFetchRequestResult> {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAll(with:in:)")
    public static func MR_fetchAllWithDelegate(_: Any?, inContext: Any?) -> NSFetchedResultsController<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllSorted(by:ascending:with:groupBy:delegate:)")
    public static func MR_fetchAllSortedBy(_: Any?, ascending: Any?, withPredicate: Any?, groupBy: Any?, delegate: Any?)
        -> NSFetchedResultsController<any NSFetchRequestResult>
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)")
    public static func MR_fetchAllSortedBy(
        _: Any?, ascending: Any?, withPredicate: Any?, groupBy: Any?, delegate: Any?, inContext: Any?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllGrouped(by:with:sortedBy:ascending:)")
    public static func MR_fetchAllGroupedBy(_: Any?, withPredicate: Any?, sortedBy: Any?, ascending: Any?)
        -> NSFetchedResultsController<any NSFetchRequestResult>
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllGrouped(by:with:sortedBy:ascending:in:)")
    public static func MR_fetchAllGroupedBy(
        _: Any?, withPredicate: Any?, sortedBy: Any?, ascending: Any?, inContext: Any?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllGrouped(by:with:sortedBy:ascending:delegate:)")
    public static func MR_fetchAllGroupedBy(
        _: Any?, withPredicate: Any?, sortedBy: Any?, ascending: Any?, delegate: Any?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_fetchAllGrouped(by:with:sortedBy:ascending:delegate:in:)")
    public static func MR_fetchAllGroupedBy(
        _: Any?, withPredicate: Any?, sortedBy: Any?, ascending: Any?, delegate: Any?, inContext: Any?
    ) -> NSFetchedResultsController<any NSFetchRequestResult> { formerName() }
}
