import CoreData

extension NSManagedObject {
    /// Returns the number of objects that match a predicate, including unsaved objects and those of subentities; 0 after an
    /// error, which goes to the error handler. (The original returned `NSNotFound`.)
    ///
    /// Counts all objects without a predicate, and in the current thread's context unless given one.
    #if canImport(ObjectiveC)
    @objc(MR_countOfEntitiesWithPredicate:inContext:)
    #endif
    @discardableResult
    public class func mr_countOfEntities(
        with searchFilter: NSPredicate? = nil, in context: NSManagedObjectContext = .currentThread
    ) -> UInt {
        var query = MagicalRecord.Query<NSManagedObject>(type: self)
        query.condition = searchFilter.map { .predicate($0) }
        return UInt(MagicalRecord.reporting { try query.count(in: context) } ?? 0)
    }

    /// Returns the number of objects in a context.
    @discardableResult
    public class func mr_countOfEntities(with context: NSManagedObjectContext) -> UInt {
        mr_countOfEntities(in: context)
    }

    /// Returns the result of ``mr_countOfEntities(with:in:)`` as an `NSNumber`.
    #if canImport(ObjectiveC)
    @objc(MR_numberOfEntitiesWithPredicate:inContext:)
    #endif
    @discardableResult
    public class func mr_numberOfEntities(
        with searchTerm: NSPredicate? = nil, in context: NSManagedObjectContext = .currentThread
    ) -> NSNumber { NSNumber(value: mr_countOfEntities(with: searchTerm, in: context)) }

    /// Returns the result of ``mr_countOfEntities(with:)`` as an `NSNumber`.
    @discardableResult
    public class func mr_numberOfEntities(with context: NSManagedObjectContext) -> NSNumber {
        mr_numberOfEntities(in: context)
    }

    /// Returns whether a context has at least one object of the entity; false after an error.
    #if canImport(ObjectiveC)
    @objc(MR_hasAtLeastOneEntityInContext:)
    #endif
    @discardableResult
    public class func mr_hasAtLeastOneEntity(in context: NSManagedObjectContext = .currentThread) -> Bool {
        MagicalRecord.reporting { try MagicalRecord.Query<NSManagedObject>(type: self).exists(in: context) } ?? false
    }

    /// Returns the least value of a property among the objects of the receiver's entity, or nil. (The original searched for an
    /// object with the text "min(…)" as its value and never found one.)
    #if canImport(ObjectiveC)
    @objc(MR_minValueFor:)
    #endif
    @discardableResult
    public func mr_minValue(for property: String) -> Any? {
        extreme(property, ascending: true)?.value(forKey: property)
    }

    /// Returns the greatest value of a property among the objects of the receiver's entity, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_maxValueFor:)
    #endif
    @discardableResult
    public func mr_maxValue(for property: String) -> Any? {
        extreme(property, ascending: false)?.value(forKey: property)
    }

    /// Returns the object of the receiver's entity with the least value of a property, in the receiver's context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_objectWithMinValueFor:)
    #endif
    @discardableResult
    public func mr_objectWithMinValue(for property: String) -> Self? {
        managedObjectContext.flatMap { mr_objectWithMinValue(for: property, in: $0) }
    }

    /// Returns the object of the receiver's entity with the least value of a property, in a context, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_objectWithMinValueFor:inContext:)
    #endif
    @discardableResult
    public func mr_objectWithMinValue(for property: String, in context: NSManagedObjectContext) -> Self? {
        extreme(property, ascending: true, in: context) as? Self
    }

    private func extreme(_ key: String, ascending: Bool, in context: NSManagedObjectContext? = nil) -> NSManagedObject?
    {
        MagicalRecord.reporting {
            var query = MagicalRecord.Query<NSManagedObject>(entityNamed: entity.name ?? "")
            query.condition = .predicate(NSPredicate(format: "%K != nil", argumentArray: [key]))
            query.order = .key(key, ascending ? .ascending : .descending)
            return try query.findFirst(in: context ?? managedObjectContext ?? .currentThread)
        } ?? nil
    }

    /// Returns the result of a function (`sum:`, `min:`, `max:`, `average:`, `count:`) over an attribute of the stored objects
    /// that match a predicate; nil after an error. The result has the attribute's type, as in the original: an average of
    /// integers is an integer.
    #if canImport(ObjectiveC)
    @objc(MR_aggregateOperation:onAttribute:withPredicate:inContext:)
    #endif
    @discardableResult
    public class func mr_aggregateOperation(
        _ function: String, onAttribute attributeName: String, with predicate: NSPredicate?,
        in context: NSManagedObjectContext = .currentThread
    ) -> Any? {
        MagicalRecord.reporting {
            let rows = try aggregate(function, attributeName, predicate, groupedBy: nil, in: context)
            return rows.first?["result"]
        } ?? nil
    }

    /// Returns the results of a function over an attribute for each value of the grouping key, as dictionaries with that key
    /// and `result`; nil after an error.
    @discardableResult
    public class func mr_aggregateOperation(
        _ collectionOperator: String, onAttribute attributeName: String, with predicate: NSPredicate?,
        groupBy groupingKeyPath: String?, in context: NSManagedObjectContext = .currentThread
    ) -> [Any]? {
        MagicalRecord.reporting {
            try aggregate(collectionOperator, attributeName, predicate, groupedBy: groupingKeyPath, in: context)
        }
    }

    private class func aggregate(
        _ function: String, _ attribute: String, _ predicate: NSPredicate?, groupedBy grouping: String?,
        in context: NSManagedObjectContext
    ) throws -> [[String: Any]] {
        let entity = try EntityLookup.entity(for: self, in: context)
        let column = try AggregateFetch.column("result", function, of: attribute, in: entity)
        let fetch = AggregateFetch(entity, predicate, keys: grouping.map { [$0] } ?? [], columns: [column])
        if let grouping { fetch.request.propertiesToGroupBy = [grouping] }
        return try fetch.rows(in: context)
    }
}
