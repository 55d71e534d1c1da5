#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names, or with default arguments.

@available(swift, obsoleted: 1.0)
extension NSManagedObject {
    @discardableResult @objc(MR_entityName)
    public class func _entityName() -> String { EntityLookup.ownName(of: self) }

    @discardableResult @objc(MR_entityDescription)
    public class func _entityDescription() -> NSEntityDescription? { mr_entityDescription() }

    @discardableResult @objc(MR_propertiesNamed:)
    public class func _properties(_ names: [String]) -> NSArray? { mr_propertiesNamed(names) as NSArray? }

    @discardableResult @objc(MR_propertiesNamed:inContext:)
    public class func _properties(_ names: [String], _ context: NSManagedObjectContext) -> NSArray? {
        mr_propertiesNamed(names, in: context) as NSArray?
    }

    @discardableResult @objc(MR_createEntity)
    public class func _createEntity() -> Self? { mr_createEntity() }

    /// Creates an object without a context for nil, of the entity in the current thread's context.
    @discardableResult @objc(MR_createEntityInContext:)
    public class func _createEntity(_ context: NSManagedObjectContext?) -> Self? {
        guard let context else { return mr_entityDescription().map { Self(entity: $0, insertInto: nil) } }
        return mr_createEntity(in: context)
    }

    @discardableResult @objc(MR_deleteAllMatchingPredicate:)
    public class func _deleteAll(_ predicate: NSPredicate?) -> Bool {
        predicate.map { mr_deleteAll(matching: $0) } ?? mr_truncateAll()
    }

    @discardableResult @objc(MR_deleteAllMatchingPredicate:inContext:)
    public class func _deleteAll(_ predicate: NSPredicate?, _ context: NSManagedObjectContext) -> Bool {
        predicate.map { mr_deleteAll(matching: $0, in: context) } ?? mr_truncateAll(in: context)
    }

    @discardableResult @objc(MR_truncateAll)
    public class func _truncateAll() -> Bool { mr_truncateAll() }

    @discardableResult @objc(MR_importFromObject:)
    public class func _import(_ data: Any) -> Self { mr_import(from: data) }

    @discardableResult @objc(MR_importFromObject:inContext:)
    public class func _import(_ data: Any, _ context: NSManagedObjectContext) -> Self {
        mr_import(from: data, in: context)
    }

    @discardableResult @objc(MR_importFromArray:)
    public class func _importAll(_ list: NSArray) -> NSArray { importRecords(list, in: .currentThread) }

    @discardableResult @objc(MR_importFromArray:inContext:)
    public class func _importAll(_ list: NSArray, _ context: NSManagedObjectContext) -> NSArray {
        importRecords(list, in: context)
    }

    /// Imports records in order: an array of dictionaries as a whole, other objects one by one.
    private class func importRecords(_ list: NSArray, in context: NSManagedObjectContext) -> NSArray {
        if let records = list as? [[AnyHashable: Any]] { return mr_import(from: records, in: context) as NSArray }
        return (list as [AnyObject]).map { mr_import(from: $0 as Any, in: context) } as NSArray
    }

    // MARK: Counts and aggregates

    @discardableResult @objc(MR_countOfEntities)
    public class func _count() -> UInt { mr_countOfEntities() }

    @discardableResult @objc(MR_countOfEntitiesWithPredicate:)
    public class func _count(_ predicate: NSPredicate?) -> UInt { mr_countOfEntities(with: predicate) }

    @discardableResult @objc(MR_countOfEntitiesWithContext:)
    public class func _count(_ context: NSManagedObjectContext) -> UInt { mr_countOfEntities(in: context) }

    @discardableResult @objc(MR_numberOfEntities)
    public class func _number() -> NSNumber { mr_numberOfEntities() }

    @discardableResult @objc(MR_numberOfEntitiesWithPredicate:)
    public class func _number(_ predicate: NSPredicate?) -> NSNumber { mr_numberOfEntities(with: predicate) }

    @discardableResult @objc(MR_numberOfEntitiesWithContext:)
    public class func _number(_ context: NSManagedObjectContext) -> NSNumber { mr_numberOfEntities(in: context) }

    @discardableResult @objc(MR_hasAtLeastOneEntity)
    public class func _hasAtLeastOne() -> Bool { mr_hasAtLeastOneEntity() }

    @discardableResult @objc(MR_aggregateOperation:onAttribute:withPredicate:)
    public class func _aggregate(_ function: String, _ attribute: String, _ predicate: NSPredicate?) -> Any? {
        mr_aggregateOperation(function, onAttribute: attribute, with: predicate)
    }

    @discardableResult @objc(MR_aggregateOperation:onAttribute:withPredicate:groupBy:)
    public class func _aggregate(
        _ function: String, _ attribute: String, _ predicate: NSPredicate?, groupBy keyPath: String?
    ) -> NSArray? {
        mr_aggregateOperation(function, onAttribute: attribute, with: predicate, groupBy: keyPath) as NSArray?
    }

    @discardableResult @objc(MR_aggregateOperation:onAttribute:withPredicate:groupBy:inContext:)
    public class func _aggregate(
        _ function: String, _ attribute: String, _ predicate: NSPredicate?, groupBy keyPath: String?,
        _ context: NSManagedObjectContext
    ) -> NSArray? {
        mr_aggregateOperation(function, onAttribute: attribute, with: predicate, groupBy: keyPath, in: context)
            as NSArray?
    }
}
#endif
