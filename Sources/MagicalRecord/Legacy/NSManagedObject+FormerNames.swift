import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

/// The body of all of them, which no compiler lets anything call.
func formerName() -> Never { preconditionFailure("A name of Swift 2 was called.") }

extension NSManagedObject {
    @discardableResult
    @available(*, unavailable, renamed: "mr_entityName()")
    public static func MR_entityName() -> String { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_defaultBatchSize()")
    public static func MR_defaultBatchSize() -> UInt { formerName() }

    @available(*, unavailable, renamed: "mr_setDefaultBatchSize(_:)")
    public static func MR_setDefaultBatchSize(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_execute(_:in:)")
    public static func MR_executeFetchRequest(_: Any?, inContext: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_execute(_:)")
    public static func MR_executeFetchRequest(_: Any?) -> [NSManagedObject]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_executeFetchRequestAndReturnFirstObject(_:in:)")
    public static func MR_executeFetchRequestAndReturnFirstObject(_: Any?, inContext: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_executeFetchRequestAndReturnFirstObject(_:)")
    public static func MR_executeFetchRequestAndReturnFirstObject(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_performFetch(_:)")
    public static func MR_performFetch(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_entityDescription(in:)")
    public static func MR_entityDescriptionInContext(_: Any?) -> NSEntityDescription? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_entityDescription()")
    public static func MR_entityDescription() -> NSEntityDescription? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_propertiesNamed(_:in:)")
    public static func MR_propertiesNamed(_: Any?, inContext: Any?) -> [NSPropertyDescription]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_propertiesNamed(_:)")
    public static func MR_propertiesNamed(_: Any?) -> [NSPropertyDescription]? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_createEntity(in:)")
    public static func MR_createEntityInContext(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_createEntity()")
    public static func MR_createEntity() -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_deleteEntity(in:)")
    public func MR_deleteEntityInContext(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_deleteEntity()")
    public func MR_deleteEntity() -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_deleteAll(matching:in:)")
    public static func MR_deleteAllMatchingPredicate(_: Any?, inContext: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_deleteAll(matching:)")
    public static func MR_deleteAllMatchingPredicate(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_truncateAll(in:)")
    public static func MR_truncateAllInContext(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_truncateAll()")
    public static func MR_truncateAll() -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_ascendingSortDescriptors(_:)")
    public static func MR_ascendingSortDescriptors(_: Any?) -> [NSSortDescriptor] { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_descendingSortDescriptors(_:)")
    public static func MR_descendingSortDescriptors(_: Any?) -> [NSSortDescriptor] { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_(in:)")
    public func MR_inContext(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_inThreadContext()")
    public func MR_inThreadContext() -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_create(in:)")
    public static func MR_createInContext(_: Any?) -> Self? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_delete(in:)")
    public func MR_deleteInContext(_: Any?) -> Bool { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_import(from:in:)")
    public static func MR_importFromObject(_: Any?, inContext: Any?) -> Self { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_import(from:)")
    public static func MR_importFromObject(_: Any?) -> Self { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_import(from:in:)")
    public static func MR_importFromArray(_: Any?, inContext: Any?) -> [NSManagedObject] { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_import(from:)")
    public static func MR_importFromArray(_: Any?) -> [NSManagedObject] { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_importValuesForKeys(with:)")
    public func MR_importValuesForKeysWithObject(_: Any?) -> Bool { formerName() }
}
