#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.
//
// The internal ones have types that Swift cannot export; MagicalRecordObjC declares them.

extension NSManagedObject {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_entityName)
    public class func objc_MR_entityName() -> String { EntityLookup.ownName(of: self) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_executeFetchRequest:)
    public class func objc_MR_executeFetchRequest(_ request: NSFetchRequest<NSFetchRequestResult>) -> NSArray? {
        results(of: request, in: ThreadContexts.current())
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_executeFetchRequest:inContext:)
    public class func objc_MR_executeFetchRequest_inContext(
        _ request: NSFetchRequest<NSFetchRequestResult>, in context: NSManagedObjectContext
    ) -> NSArray? { results(of: request, in: context) }

    @objc(MR_executeFetchRequestAndReturnFirstObject:)
    class func objc_MR_executeFetchRequestAndReturnFirstObject(_ request: NSFetchRequest<NSFetchRequestResult>) -> Any?
    { firstResult(of: request, in: ThreadContexts.current()) }

    @objc(MR_executeFetchRequestAndReturnFirstObject:inContext:)
    class func objc_MR_executeFetchRequestAndReturnFirstObject_inContext(
        _ request: NSFetchRequest<NSFetchRequestResult>, in context: NSManagedObjectContext
    ) -> Any? { firstResult(of: request, in: context) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_propertiesNamed:)
    public class func objc_MR_propertiesNamed(_ names: [String]) -> NSArray? {
        mr_propertiesNamed(names) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_propertiesNamed:inContext:)
    public class func objc_MR_propertiesNamed_inContext(_ names: [String], in context: NSManagedObjectContext)
        -> NSArray?
    { mr_propertiesNamed(names, in: context) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_createEntityInContext:)
    public class func objc_MR_createEntityInContext(_ context: NSManagedObjectContext?) -> Self? {
        context.map { mr_createEntity(in: $0) } ?? createWithoutContext()
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_deleteAllMatchingPredicate:)
    public class func objc_MR_deleteAllMatchingPredicate(_ predicate: NSPredicate?) -> Bool {
        predicate.map { mr_deleteAll(matching: $0) } ?? mr_truncateAll()
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_deleteAllMatchingPredicate:inContext:)
    public class func objc_MR_deleteAllMatchingPredicate_inContext(
        _ predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> Bool { predicate.map { mr_deleteAll(matching: $0, in: context) } ?? mr_truncateAll(in: context) }

    @objc(MR_createFetchRequest)
    class func objc_MR_createFetchRequest() -> NSFetchRequest<NSFetchRequestResult> { mr_createFetchRequest() }

    @objc(MR_createFetchRequestInContext:)
    class func objc_MR_createFetchRequestInContext(_ context: NSManagedObjectContext) -> NSFetchRequest<
        NSFetchRequestResult
    > { mr_createFetchRequest(in: context) }

    @objc(MR_requestAll)
    class func objc_MR_requestAll() -> NSFetchRequest<NSFetchRequestResult> { mr_requestAll() }

    @objc(MR_requestAllInContext:)
    class func objc_MR_requestAllInContext(_ context: NSManagedObjectContext) -> NSFetchRequest<
        NSFetchRequestResult
    > { mr_requestAll(in: context) }

    @objc(MR_requestAllWithPredicate:)
    class func objc_MR_requestAllWithPredicate(_ predicate: NSPredicate?) -> NSFetchRequest<NSFetchRequestResult> {
        mr_requestAll(with: predicate)
    }

    @objc(MR_requestAllWithPredicate:inContext:)
    class func objc_MR_requestAllWithPredicate_inContext(
        _ predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> { mr_requestAll(with: predicate, in: context) }

    @objc(MR_requestAllWhere:isEqualTo:)
    class func objc_MR_requestAllWhere_isEqualTo(_ property: String, isEqualTo value: Any?) -> NSFetchRequest<
        NSFetchRequestResult
    > { mr_requestAllWhere(property, isEqualTo: value) }

    @objc(MR_requestAllWhere:isEqualTo:inContext:)
    class func objc_MR_requestAllWhere_isEqualTo_inContext(
        _ property: String, isEqualTo value: Any?, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> { mr_requestAllWhere(property, isEqualTo: value, in: context) }

    @objc(MR_requestFirstWithPredicate:)
    class func objc_MR_requestFirstWithPredicate(_ predicate: NSPredicate?) -> NSFetchRequest<
        NSFetchRequestResult
    > { mr_requestFirst(with: predicate) }

    @objc(MR_requestFirstWithPredicate:inContext:)
    class func objc_MR_requestFirstWithPredicate_inContext(
        _ predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> { mr_requestFirst(with: predicate, in: context) }

    @objc(MR_requestFirstByAttribute:withValue:)
    class func objc_MR_requestFirstByAttribute_withValue(_ attribute: String, withValue value: Any?)
        -> NSFetchRequest<NSFetchRequestResult>
    { mr_requestFirst(byAttribute: attribute, withValue: value) }

    @objc(MR_requestFirstByAttribute:withValue:inContext:)
    class func objc_MR_requestFirstByAttribute_withValue_inContext(
        _ attribute: String, withValue value: Any?, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> { mr_requestFirst(byAttribute: attribute, withValue: value, in: context) }

    @objc(MR_requestAllSortedBy:ascending:)
    class func objc_MR_requestAllSortedBy_ascending(_ term: String?, ascending: Bool) -> NSFetchRequest<
        NSFetchRequestResult
    > { mr_requestAllSorted(by: term ?? "", ascending: ascending) }

    @objc(MR_requestAllSortedBy:ascending:inContext:)
    class func objc_MR_requestAllSortedBy_ascending_inContext(
        _ term: String?, ascending: Bool, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> { mr_requestAllSorted(by: term ?? "", ascending: ascending, in: context) }

    @objc(MR_requestAllSortedBy:ascending:withPredicate:)
    class func objc_MR_requestAllSortedBy_ascending_withPredicate(
        _ term: String?, ascending: Bool, with predicate: NSPredicate?
    ) -> NSFetchRequest<NSFetchRequestResult> {
        mr_requestAllSorted(by: term ?? "", ascending: ascending, with: predicate)
    }

    @objc(MR_requestAllSortedBy:ascending:withPredicate:inContext:)
    class func objc_MR_requestAllSortedBy_ascending_withPredicate_inContext(
        _ term: String?, ascending: Bool, with predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> NSFetchRequest<NSFetchRequestResult> {
        mr_requestAllSorted(by: term ?? "", ascending: ascending, with: predicate, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAll)
    public class func objc_MR_findAll() -> NSArray? { mr_findAll() as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllInContext:)
    public class func objc_MR_findAllInContext(_ context: NSManagedObjectContext) -> NSArray? {
        mr_findAll(in: context) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllSortedBy:ascending:)
    public class func objc_MR_findAllSortedBy_ascending(_ term: String?, ascending: Bool) -> NSArray? {
        mr_findAllSorted(by: term ?? "", ascending: ascending) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllSortedBy:ascending:inContext:)
    public class func objc_MR_findAllSortedBy_ascending_inContext(
        _ term: String?, ascending: Bool, in context: NSManagedObjectContext
    ) -> NSArray? { mr_findAllSorted(by: term ?? "", ascending: ascending, in: context) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllSortedBy:ascending:withPredicate:)
    public class func objc_MR_findAllSortedBy_ascending_withPredicate(
        _ term: String?, ascending: Bool, with predicate: NSPredicate?
    ) -> NSArray? { mr_findAllSorted(by: term ?? "", ascending: ascending, with: predicate) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllSortedBy:ascending:withPredicate:inContext:)
    public class func objc_MR_findAllSortedBy_ascending_withPredicate_inContext(
        _ term: String?, ascending: Bool, with predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> NSArray? { mr_findAllSorted(by: term ?? "", ascending: ascending, with: predicate, in: context) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllWithPredicate:)
    public class func objc_MR_findAllWithPredicate(_ predicate: NSPredicate?) -> NSArray? {
        mr_findAll(with: predicate) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findAllWithPredicate:inContext:)
    public class func objc_MR_findAllWithPredicate_inContext(
        _ predicate: NSPredicate?, in context: NSManagedObjectContext
    ) -> NSArray? { mr_findAll(with: predicate, in: context) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findByAttribute:withValue:)
    public class func objc_MR_findByAttribute_withValue(_ attribute: String, withValue value: Any?)
        -> NSArray?
    { mr_find(byAttribute: attribute, withValue: value) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findByAttribute:withValue:inContext:)
    public class func objc_MR_findByAttribute_withValue_inContext(
        _ attribute: String, withValue value: Any?, in context: NSManagedObjectContext
    ) -> NSArray? { mr_find(byAttribute: attribute, withValue: value, in: context) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findByAttribute:withValue:andOrderBy:ascending:)
    public class func objc_MR_findByAttribute_withValue_andOrderBy_ascending(
        _ attribute: String, withValue value: Any?, andOrderBy term: String?, ascending: Bool
    ) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value, andOrderBy: term, ascending: ascending) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_findByAttribute:withValue:andOrderBy:ascending:inContext:)
    public class func objc_MR_findByAttribute_withValue_andOrderBy_ascending_inContext(
        _ attribute: String, withValue value: Any?, andOrderBy term: String?, ascending: Bool,
        in context: NSManagedObjectContext
    ) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value, andOrderBy: term, ascending: ascending, in: context)
            as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_countOfEntitiesWithPredicate:)
    public class func objc_MR_countOfEntitiesWithPredicate(_ predicate: NSPredicate?) -> UInt {
        mr_countOfEntities(with: predicate)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_countOfEntitiesWithContext:)
    public class func objc_MR_countOfEntitiesWithContext(_ context: NSManagedObjectContext) -> UInt {
        mr_countOfEntities(with: context)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_numberOfEntitiesWithPredicate:)
    public class func objc_MR_numberOfEntitiesWithPredicate(_ predicate: NSPredicate?) -> NSNumber {
        mr_numberOfEntities(with: predicate)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_numberOfEntitiesWithContext:)
    public class func objc_MR_numberOfEntitiesWithContext(_ context: NSManagedObjectContext) -> NSNumber {
        mr_numberOfEntities(with: context)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_aggregateOperation:onAttribute:withPredicate:groupBy:)
    public class func objc_MR_aggregateOperation_onAttribute_withPredicate_groupBy(
        _ function: String, onAttribute name: String, with predicate: NSPredicate?, groupBy keyPath: String?
    ) -> NSArray? { mr_aggregateOperation(function, onAttribute: name, with: predicate, groupBy: keyPath) as NSArray? }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_aggregateOperation:onAttribute:withPredicate:groupBy:inContext:)
    public class func objc_MR_aggregateOperation_onAttribute_withPredicate_groupBy_inContext(
        _ function: String, onAttribute name: String, with predicate: NSPredicate?, groupBy keyPath: String?,
        in context: NSManagedObjectContext
    ) -> NSArray? {
        mr_aggregateOperation(function, onAttribute: name, with: predicate, groupBy: keyPath, in: context) as NSArray?
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_importFromObject:)
    public class func objc_MR_importFromObject(_ data: Any) -> Self { mr_import(from: data) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_importFromObject:inContext:)
    public class func objc_MR_importFromObject_inContext(_ data: Any, in context: NSManagedObjectContext) -> Self {
        mr_import(from: data, in: context)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_importFromArray:)
    public class func objc_MR_importFromArray(_ list: NSArray) -> NSArray {
        importRecords(list, in: ThreadContexts.current())
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_importFromArray:inContext:)
    public class func objc_MR_importFromArray_inContext(
        _ list: NSArray, in context: NSManagedObjectContext
    ) -> NSArray { importRecords(list, in: context) }
}
#endif
