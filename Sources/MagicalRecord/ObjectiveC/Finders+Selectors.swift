#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names, or with default arguments.

@available(swift, obsoleted: 1.0)
extension NSManagedObject {
    @discardableResult @objc(MR_executeFetchRequest:)
    public class func _execute(_ request: MRFetchRequest) -> NSArray? { results(of: request, in: .currentThread) }

    @discardableResult @objc(MR_executeFetchRequest:inContext:)
    public class func _execute(_ request: MRFetchRequest, _ context: NSManagedObjectContext) -> NSArray? {
        results(of: request, in: context)
    }

    /// Returns the results of a request of any result type: objects, object IDs or dictionaries; nil after an error.
    private class func results(of request: MRFetchRequest, in context: NSManagedObjectContext) -> NSArray? {
        MagicalRecord.reporting { try context.runAndWait { try context.results(of: request) } } as NSArray?
    }

    @discardableResult @objc(MR_findAll)
    public class func _findAll() -> NSArray? { mr_findAll() as NSArray? }

    @discardableResult @objc(MR_findAllInContext:)
    public class func _findAll(_ context: NSManagedObjectContext) -> NSArray? { mr_findAll(in: context) as NSArray? }

    @discardableResult @objc(MR_findAllWithPredicate:)
    public class func _findAll(_ predicate: NSPredicate?) -> NSArray? { mr_findAll(with: predicate) as NSArray? }

    @discardableResult @objc(MR_findAllWithPredicate:inContext:)
    public class func _findAll(_ predicate: NSPredicate?, _ context: NSManagedObjectContext) -> NSArray? {
        mr_findAll(with: predicate, in: context) as NSArray?
    }

    @discardableResult @objc(MR_findAllSortedBy:ascending:)
    public class func _findAll(_ term: String?, _ ascending: Bool) -> NSArray? {
        mr_findAllSorted(by: term ?? "", ascending: ascending) as NSArray?
    }

    @discardableResult @objc(MR_findAllSortedBy:ascending:inContext:)
    public class func _findAll(_ term: String?, _ ascending: Bool, _ context: NSManagedObjectContext) -> NSArray? {
        mr_findAllSorted(by: term ?? "", ascending: ascending, in: context) as NSArray?
    }

    @discardableResult @objc(MR_findAllSortedBy:ascending:withPredicate:)
    public class func _findAll(_ term: String?, _ ascending: Bool, _ predicate: NSPredicate?) -> NSArray? {
        mr_findAllSorted(by: term ?? "", ascending: ascending, with: predicate) as NSArray?
    }

    @discardableResult @objc(MR_findAllSortedBy:ascending:withPredicate:inContext:)
    public class func _findAll(
        _ term: String?, _ ascending: Bool, _ predicate: NSPredicate?, _ context: NSManagedObjectContext
    ) -> NSArray? { mr_findAllSorted(by: term ?? "", ascending: ascending, with: predicate, in: context) as NSArray? }

    @discardableResult @objc(MR_findByAttribute:withValue:)
    public class func _find(_ attribute: String, _ value: Any?) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value) as NSArray?
    }

    @discardableResult @objc(MR_findByAttribute:withValue:inContext:)
    public class func _find(_ attribute: String, _ value: Any?, _ context: NSManagedObjectContext) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value, in: context) as NSArray?
    }

    @discardableResult @objc(MR_findByAttribute:withValue:andOrderBy:ascending:)
    public class func _find(_ attribute: String, _ value: Any?, _ term: String?, _ ascending: Bool) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value, andOrderBy: term, ascending: ascending) as NSArray?
    }

    @discardableResult @objc(MR_findByAttribute:withValue:andOrderBy:ascending:inContext:)
    public class func _find(
        _ attribute: String, _ value: Any?, _ term: String?, _ ascending: Bool, _ context: NSManagedObjectContext
    ) -> NSArray? {
        mr_find(byAttribute: attribute, withValue: value, andOrderBy: term, ascending: ascending, in: context)
            as NSArray?
    }

    // MARK: One object

    @discardableResult @objc(MR_findFirst)
    public class func _findFirst() -> Self? { mr_findFirst() }

    @discardableResult @objc(MR_findFirstInContext:)
    public class func _findFirst(_ context: NSManagedObjectContext) -> Self? { mr_findFirst(in: context) }

    @discardableResult @objc(MR_findFirstWithPredicate:)
    public class func _findFirst(_ predicate: NSPredicate?) -> Self? { mr_findFirst(with: predicate) }

    @discardableResult @objc(MR_findFirstWithPredicate:inContext:)
    public class func _findFirst(_ predicate: NSPredicate?, _ context: NSManagedObjectContext) -> Self? {
        mr_findFirst(with: predicate, in: context)
    }

    @discardableResult @objc(MR_findFirstWithPredicate:andRetrieveAttributes:)
    public class func _findFirst(_ predicate: NSPredicate?, _ attributes: [Any]?) -> Self? {
        mr_findFirst(with: predicate, andRetrieveAttributes: attributes)
    }

    @discardableResult @objc(MR_findFirstWithPredicate:sortedBy:ascending:)
    public class func _findFirst(_ predicate: NSPredicate?, _ term: String?, _ ascending: Bool) -> Self? {
        mr_findFirst(with: predicate, sortedBy: term, ascending: ascending)
    }

    @discardableResult @objc(MR_findFirstWithPredicate:sortedBy:ascending:inContext:)
    public class func _findFirst(
        _ predicate: NSPredicate?, _ term: String?, _ ascending: Bool, _ context: NSManagedObjectContext
    ) -> Self? { mr_findFirst(with: predicate, sortedBy: term, ascending: ascending, in: context) }

    @discardableResult @objc(MR_findFirstByAttribute:withValue:)
    public class func _findFirst(_ attribute: String, _ value: Any?) -> Self? {
        mr_findFirst(byAttribute: attribute, withValue: value)
    }

    @discardableResult @objc(MR_findFirstOrderedByAttribute:ascending:)
    public class func _findFirst(_ attribute: String, _ ascending: Bool) -> Self? {
        mr_findFirstOrdered(byAttribute: attribute, ascending: ascending)
    }

    @discardableResult @objc(MR_findFirstOrCreateByAttribute:withValue:)
    public class func _findFirstOrCreate(_ attribute: String, _ value: Any?) -> Self {
        mr_findFirstOrCreate(byAttribute: attribute, withValue: value)
    }
}
#endif
