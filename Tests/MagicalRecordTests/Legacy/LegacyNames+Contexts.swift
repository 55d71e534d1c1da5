import MagicalRecord

extension LegacyNames {
    mutating func addContexts() {
        row(
            "NSManagedObjectContext +MR_initializeDefaultContextWithCoordinator:",
            Ctx.mr_initializeDefaultContext(with:) as (Coordinator) -> Void)
        row("NSManagedObjectContext +MR_rootSavingContext", Ctx.mr_rootSaving as () -> Ctx)
        row("NSManagedObjectContext +MR_defaultContext", Ctx.mr_default as () -> Ctx)
        row("NSManagedObjectContext +MR_context", Ctx.mr_ as () -> Ctx)
        row("NSManagedObjectContext +MR_contextWithParent:", Ctx.mr_context(withParent:) as (Ctx) -> Ctx)
        row("NSManagedObjectContext +MR_contextWithStoreCoordinator:", Ctx.mr_context(with:) as (Coordinator) -> Ctx)
        row("NSManagedObjectContext +MR_newMainQueueContext", Ctx.mr_newMainQueue as () -> Ctx)
        row("NSManagedObjectContext +MR_newPrivateQueueContext", Ctx.mr_newPrivateQueue as () -> Ctx)
        row("NSManagedObjectContext -MR_setWorkingName:", Ctx.mr_setWorkingName as (Ctx) -> (String) -> Void)
        row("NSManagedObjectContext -MR_workingName", Ctx.mr_workingName as (Ctx) -> () -> String)
        row("NSManagedObjectContext -MR_description", Ctx.mr_description as (Ctx) -> () -> String)
        row("NSManagedObjectContext -MR_parentChain", Ctx.mr_parentChain as (Ctx) -> () -> String)
        row("NSManagedObjectContext +MR_resetDefaultContext", Ctx.mr_resetDefaultContext as () -> Void)
        row("NSManagedObjectContext -MR_deleteObjects:", Ctx.mr_deleteObjects as (Ctx) -> ([Obj]) -> Void)
        row(
            "NSManagedObjectContext -MR_saveOnlySelfWithCompletion:",
            Ctx.mr_saveOnlySelf(completion:) as (Ctx) -> (Done?) -> Void)
        row("NSManagedObjectContext -MR_saveOnlySelfAndWait", Ctx.mr_saveOnlySelfAndWait as (Ctx) -> () -> Void)
        row(
            "NSManagedObjectContext -MR_saveToPersistentStoreWithCompletion:",
            Ctx.mr_saveToPersistentStore(completion:) as (Ctx) -> (Done?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveToPersistentStoreAndWait",
            Ctx.mr_saveToPersistentStoreAndWait as (Ctx) -> () -> Void)
        row(
            "NSManagedObjectContext -MR_saveWithOptions:completion:",
            Ctx.mr_save(options:completion:) as (Ctx) -> (MRSaveOptions, Done?) -> Void)
        row("NSManagedObjectContext -MR_saveWithBlock:", Ctx.mr_save(_:) as (Ctx) -> (@escaping Block) -> Void)
        row(
            "NSManagedObjectContext -MR_saveWithBlock:completion:",
            Ctx.mr_save(_:completion:) as (Ctx) -> (@escaping Block, Done?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveWithBlockAndWait:",
            Ctx.mr_save(blockAndWait:) as (Ctx) -> ((NSManagedObjectContext) -> Void) -> Void)
        row("NSManagedObjectContext -MR_observeContext:", Ctx.mr_observe(_:) as (Ctx) -> (Ctx) -> Void)
        row(
            "NSManagedObjectContext -MR_observeContextOnMainThread:",
            Ctx.mr_observe(onMainThread:) as (Ctx) -> (Ctx) -> Void)
        row("NSManagedObjectContext -MR_stopObservingContext:", Ctx.mr_stopObserving(_:) as (Ctx) -> (Ctx) -> Void)
    }

    mutating func addImportHelpers() {
        typealias Attribute = NSAttributeDescription
        typealias Relationship = NSRelationshipDescription
        typealias Entity = NSEntityDescription
        row(
            "NSObject -MR_lookupKeyForAttribute:",
            NSObject.mr_lookupKey(forAttribute:) as (NSObject) -> (Attribute) -> String?)
        row("NSObject -MR_valueForAttribute:", NSObject.mr_value(forAttribute:) as (NSObject) -> (Attribute) -> Any?)
        row(
            "NSObject -MR_lookupKeyForRelationship:",
            NSObject.mr_lookupKey(forRelationship:) as (NSObject) -> (Relationship) -> String?)
        row(
            "NSObject -MR_relatedValueForRelationship:",
            NSObject.mr_relatedValue(forRelationship:) as (NSObject) -> (Relationship) -> Any?)
        row(
            "NSNumber -MR_lookupKeyForAttribute:",
            NSNumber.mr_lookupKey(forAttribute:) as (NSNumber) -> (Attribute) -> String?)
        row(
            "NSNumber -MR_relatedValueForRelationship:",
            NSNumber.mr_relatedValue(forRelationship:) as (NSNumber) -> (Relationship) -> Any?)
        row(
            "NSString -MR_capitalizedFirstCharacterString",
            NSString.mr_capitalizedFirstCharacter as (NSString) -> () -> String)
        row("NSAttributeDescription -MR_primaryKey", Attribute.mr_primaryKey as (Attribute) -> () -> String?)
        row(
            "NSAttributeDescription -MR_valueForKeyPath:fromObjectData:",
            Attribute.mr_value(forKeyPath:fromObjectData:) as (Attribute) -> (String, Any) -> Any?)
        row("NSRelationshipDescription -MR_primaryKey", Relationship.mr_primaryKey as (Relationship) -> () -> String)
        row(
            "NSEntityDescription -MR_primaryAttributeToRelateBy",
            Entity.mr_primaryAttributeToRelateBy as (Entity) -> () -> Attribute?)
        row(
            "NSEntityDescription -MR_createInstanceInContext:",
            Entity.mr_createInstance(in:) as (Entity) -> (Ctx) -> Obj)
        row(
            "NSEntityDescription -MR_attributeDescriptionForName:",
            Entity.mr_attributeDescription(forName:) as (Entity) -> (String) -> Attribute?)
        row("MagicalRecord_MOGenerator +entityName", Generated.entityName as () -> String)
        row(
            "MagicalRecord_MOGenerator -entityInManagedObjectContext:",
            Generated.entity(in:) as (Generated) -> (Ctx) -> Generated?)
        row(
            "MagicalRecord_MOGenerator -insertInManagedObjectContext:",
            Generated.insert(in:) as (Generated) -> (Ctx) -> Generated?)
        row(
            "MagicalRecordDataImportProtocol -shouldImport:",
            Generated.shouldImport(_:) as (Generated) -> (Any) -> Bool)
        row("MagicalRecordDataImportProtocol -willImport:", Generated.willImport(_:) as (Generated) -> (Any) -> Void)
        row("MagicalRecordDataImportProtocol -didImport:", Generated.didImport(_:) as (Generated) -> (Any) -> Void)
        addFunctions()
    }

    /// The original's C functions, which have no selectors.
    private func addFunctions() {
        _ = MR_dateFromString as (String, String) -> Date?
        _ = MR_dateFromNumber as (NSNumber, Bool) -> Date
        _ = MR_adjustDateForDST as (Date) -> Date
        _ = MR_numberFromString as (String) -> NSNumber
        _ = MR_attributeNameFromString as (String) -> String
        _ = MR_primaryKeyNameFromString as (String) -> String
        _ = MR_colorFromString as (String) -> Any?
        _ = MR_newColorComponentsFromString as (String) -> UnsafeMutablePointer<Int>?
    }

    /// A class as mogenerator writes them.
    final class Generated: NSManagedObject, MagicalRecord_MOGenerator, MagicalRecordDataImportProtocol {
        static func entityName() -> String { "Generated" }
    }
}
