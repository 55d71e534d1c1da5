#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names, or with default arguments.

@available(swift, obsoleted: 1.0)
extension NSManagedObjectContext {
    @objc(MR_deleteObjects:)
    public func _deleteObjects(_ objects: any NSFastEnumeration) {
        mr_deleteObjects(IteratorSequence(NSFastEnumerationIterator(objects)).compactMap { $0 as? NSManagedObject })
    }

    @objc(MR_saveWithBlock:)
    public func _save(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) { mr_save(block ?? { _ in }) }

    @objc(MR_saveWithBlock:completion:)
    public func _save(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, _ completion: MRSaveCompletionHandler?
    ) { mr_save(block ?? { _ in }, completion: completion) }

    @objc(MR_saveWithBlockAndWait:)
    public func _saveAndWait(_ block: CoreDataBlock?) { mr_save(blockAndWait: block ?? { _ in }) }

    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @objc(MR_saveInBackgroundErrorHandler:)
    public func _save(errorHandler: (@Sendable ((any Error)?) -> Void)?) {
        mr_save(inBackgroundErrorHandler: errorHandler)
    }

    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    @objc(MR_saveNestedContextsErrorHandler:)
    public func _saveNestedContexts(errorHandler: (@Sendable ((any Error)?) -> Void)?) {
        mr_saveNestedContextsErrorHandler(errorHandler)
    }
}

@available(swift, obsoleted: 1.0)
extension NSPersistentStoreCoordinator {
    @discardableResult @objc(MR_coordinatorWithSqliteStoreNamed:)
    public class func _withStore(_ name: String) -> NSPersistentStoreCoordinator {
        mr_coordinator(withSqliteStoreNamed: name)
    }

    @discardableResult @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:)
    public class func _withMigratingStore(_ name: String) -> NSPersistentStoreCoordinator {
        mr_coordinator(withAutoMigratingSqliteStoreNamed: name)
    }

    @discardableResult @objc(MR_addSqliteStoreNamed:withOptions:)
    public func _addStore(_ name: Any, _ options: [AnyHashable: Any]?) -> NSPersistentStore? {
        mr_addSqliteStoreNamed(name, withOptions: options)
    }
}

extension NSManagedObjectContext {
    /// Saves with options. Internal, since Swift cannot export the type of the options; MagicalRecordObjC declares it.
    @objc(MR_saveWithOptions:completion:)
    func objc_save(_ options: UInt, _ completion: MRSaveCompletionHandler?) {
        mr_save(options: MRSaveOptions(rawValue: options), completion: completion)
    }
}

@available(swift, obsoleted: 1.0)
extension NSObject {
    @discardableResult @objc(MR_lookupKeyForAttribute:)
    public func _lookupKey(_ property: NSAttributeDescription) -> String? { mr_lookupKey(forAttribute: property) }

    @discardableResult @objc(MR_valueForAttribute:)
    public func _value(_ property: NSAttributeDescription) -> Any? { mr_value(forAttribute: property) }

    @discardableResult @objc(MR_lookupKeyForRelationship:)
    public func _lookupKey(_ property: NSRelationshipDescription) -> String? { mr_lookupKey(forRelationship: property) }

    @discardableResult @objc(MR_relatedValueForRelationship:)
    public func _relatedValue(_ property: NSRelationshipDescription) -> Any? {
        mr_relatedValue(forRelationship: property)
    }
}
#endif
