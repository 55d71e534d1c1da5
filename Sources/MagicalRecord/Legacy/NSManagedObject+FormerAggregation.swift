import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

extension NSManagedObject {
    @discardableResult
    @available(*, unavailable, renamed: "mr_countOfEntities(with:in:)")
    public static func MR_countOfEntitiesWithPredicate(_: Any?, inContext: Any?) -> UInt { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_countOfEntities(with:)")
    public static func MR_countOfEntitiesWithPredicate(_: Any?) -> UInt { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_countOfEntities(with:)")
    public static func MR_countOfEntitiesWithContext(_: Any?) -> UInt { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_countOfEntities()")
    public static func MR_countOfEntities() -> UInt { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_numberOfEntities(with:in:)")
    public static func MR_numberOfEntitiesWithPredicate(_: Any?, inContext: Any?) -> NSNumber { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_numberOfEntities(with:)")
    public static func MR_numberOfEntitiesWithPredicate(_: Any?) -> NSNumber { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_numberOfEntities(with:)")
    public static func MR_numberOfEntitiesWithContext(_: Any?) -> NSNumber { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_numberOfEntities()")
    public static func MR_numberOfEntities() -> NSNumber { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_hasAtLeastOneEntity(in:)")
    public static func MR_hasAtLeastOneEntityInContext(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_hasAtLeastOneEntity()")
    public static func MR_hasAtLeastOneEntity() -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_minValue(for:)")
    public func MR_minValueFor(_: Any?) -> Any? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_maxValue(for:)")
    public func MR_maxValueFor(_: Any?) -> Any? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_objectWithMinValue(for:)")
    public func MR_objectWithMinValueFor(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_objectWithMinValue(for:in:)")
    public func MR_objectWithMinValueFor(_: Any?, inContext: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_aggregateOperation(_:onAttribute:with:in:)")
    public static func MR_aggregateOperation(_: Any?, onAttribute: Any?, withPredicate: Any?, inContext: Any?) -> Any? {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_aggregateOperation(_:onAttribute:with:)")
    public static func MR_aggregateOperation(_: Any?, onAttribute: Any?, withPredicate: Any?) -> Any? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_aggregateOperation(_:onAttribute:with:groupBy:in:)")
    public static func MR_aggregateOperation(
        _: Any?, onAttribute: Any?, withPredicate: Any?, groupBy: Any?, inContext: Any?
    ) -> [Any]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_aggregateOperation(_:onAttribute:with:groupBy:)")
    public static func MR_aggregateOperation(_: Any?, onAttribute: Any?, withPredicate: Any?, groupBy: Any?) -> [Any]? {
        formerName()
    }
}
