import MagicalRecord

extension LegacyNames {
    mutating func addCore() {
        row("MagicalRecord +version", MagicalRecord.version as () -> MagicalRecordVersionTag)
        row("MagicalRecord +currentStack", MagicalRecord.currentStack as () -> String)
        row("MagicalRecord +cleanUp", MagicalRecord.cleanUp as () -> Void)
        row("MagicalRecord +setDefaultModelFromClass:", MagicalRecord.setDefaultModelFrom as (AnyClass) -> Void)
        row("MagicalRecord +setDefaultModelNamed:", MagicalRecord.setDefaultModelNamed as (String) -> Void)
        row("MagicalRecord +defaultStoreName", MagicalRecord.defaultStoreName as () -> String)
        row("MagicalRecord +setupCoreDataStack", MagicalRecord.setupCoreDataStack as () -> Void)
        row(
            "MagicalRecord +setupAutoMigratingCoreDataStack",
            MagicalRecord.setupAutoMigratingCoreDataStack as () -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithStoreNamed:",
            MagicalRecord.setupCoreDataStack(withStoreNamed:) as (String) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithAutoMigratingSqliteStoreNamed:",
            MagicalRecord.setupCoreDataStack(withAutoMigratingSqliteStoreNamed:) as (String) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithStoreAtURL:",
            MagicalRecord.setupCoreDataStackWithStore(at:) as (URL) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:",
            MagicalRecord.setupCoreDataStackWithAutoMigratingSqliteStore(at:) as (URL) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithInMemoryStore",
            MagicalRecord.setupCoreDataStackWithInMemoryStore as () -> Void)
        row("MagicalRecord +saveWithBlock:", MagicalRecord.save(_:) as (@escaping Block) -> Void)
        row(
            "MagicalRecord +saveWithBlock:completion:",
            MagicalRecord.save(_:completion:) as (@escaping Block, Done?) -> Void)
        row(
            "MagicalRecord +saveWithBlockAndWait:",
            MagicalRecord.save(blockAndWait:) as ((NSManagedObjectContext) -> Void) -> Void)
        row("MagicalRecord +handleErrors:", MagicalRecord.handleErrors as (any Error) -> Void)
        row(
            "MagicalRecord +setErrorHandlerTarget:action:",
            MagicalRecord.setErrorHandlerTarget(_:action:) as (ErrorTarget, Selector) -> Void)
        row("MagicalRecord +errorHandlerTarget", MagicalRecord.errorHandlerTarget as () -> Any?)
        row("MagicalRecord +errorHandlerAction", MagicalRecord.errorHandlerAction as () -> Selector?)
        row(
            "MagicalRecord +shouldAutoCreateManagedObjectModel",
            MagicalRecord.shouldAutoCreateManagedObjectModel as () -> Bool)
        row(
            "MagicalRecord +setShouldAutoCreateManagedObjectModel:",
            MagicalRecord.setShouldAutoCreateManagedObjectModel as (Bool) -> Void)
        row(
            "MagicalRecord +shouldAutoCreateDefaultPersistentStoreCoordinator",
            MagicalRecord.shouldAutoCreateDefaultPersistentStoreCoordinator as () -> Bool)
        row(
            "MagicalRecord +setShouldAutoCreateDefaultPersistentStoreCoordinator:",
            MagicalRecord.setShouldAutoCreateDefaultPersistentStoreCoordinator as (Bool) -> Void)
        row(
            "MagicalRecord +shouldDeleteStoreOnModelMismatch",
            MagicalRecord.shouldDeleteStoreOnModelMismatch as () -> Bool)
        row(
            "MagicalRecord +setShouldDeleteStoreOnModelMismatch:",
            MagicalRecord.setShouldDeleteStoreOnModelMismatch as (Bool) -> Void)
        row("MagicalRecord +loggingLevel", MagicalRecord.loggingLevel as () -> MagicalRecordLoggingLevel)
        row("MagicalRecord +setLoggingLevel:", MagicalRecord.setLoggingLevel as (MagicalRecordLoggingLevel) -> Void)
        row("MagicalRecord +isICloudEnabled", MagicalRecord.isICloudEnabled as () -> Bool)
        row("MagicalRecord +enableShorthandMethods", MagicalRecord.enableShorthandMethods as () -> Void)
    }

    mutating func addStores() {
        row("NSPersistentStoreCoordinator +MR_defaultStoreCoordinator", Coordinator.mr_default as () -> Coordinator?)
        row(
            "NSPersistentStoreCoordinator +MR_setDefaultStoreCoordinator:",
            Coordinator.mr_setDefaultStoreCoordinator as (Coordinator?) -> Void)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithInMemoryStore",
            Coordinator.mr_coordinatorWithInMemoryStore as () -> Coordinator)
        row("NSPersistentStoreCoordinator +MR_newPersistentStoreCoordinator", Coordinator.mr_new as () -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithSqliteStoreNamed:",
            { Coordinator.mr_coordinator(withSqliteStoreNamed: $0) } as (String) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithSqliteStoreNamed:withOptions:",
            Coordinator.mr_coordinator(withSqliteStoreNamed:withOptions:) as (String, Options?) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithAutoMigratingSqliteStoreNamed:",
            { Coordinator.mr_coordinator(withAutoMigratingSqliteStoreNamed: $0) } as (String) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithAutoMigratingSqliteStoreNamed:withOptions:",
            Coordinator.mr_coordinator(withAutoMigratingSqliteStoreNamed:withOptions:)
                as (String, Options?) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithSqliteStoreAtURL:",
            Coordinator.mr_coordinatorWithSqliteStore(at:) as (URL) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithAutoMigratingSqliteStoreAtURL:",
            Coordinator.mr_coordinatorWithAutoMigratingSqliteStore(at:) as (URL) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator +MR_coordinatorWithPersistentStore:",
            Coordinator.mr_coordinator(with:) as (Store) -> Coordinator)
        row(
            "NSPersistentStoreCoordinator -MR_addInMemoryStore",
            Coordinator.mr_addInMemoryStore as (Coordinator) -> () -> Store?)
        row(
            "NSPersistentStoreCoordinator -MR_addAutoMigratingSqliteStoreNamed:",
            Coordinator.mr_addAutoMigratingSqliteStoreNamed as (Coordinator) -> (String) -> Store?)
        row(
            "NSPersistentStoreCoordinator -MR_addAutoMigratingSqliteStoreAtURL:",
            Coordinator.mr_addAutoMigratingSqliteStore(at:) as (Coordinator) -> (URL) -> Store?)
        row(
            "NSPersistentStoreCoordinator -MR_addSqliteStoreNamed:withOptions:",
            { $0.mr_addSqliteStoreNamed($1, withOptions: $2) } as (Coordinator, Any, Options?) -> Store?)
        row(
            "NSPersistentStoreCoordinator -MR_addSqliteStoreNamed:configuration:withOptions:",
            Coordinator.mr_addSqliteStoreNamed(_:configuration:withOptions:)
                as (Coordinator) -> (Any, String?, Options?) -> Store?)
        row("NSPersistentStore +MR_defaultPersistentStore", Store.mr_default as () -> Store?)
        row("NSPersistentStore +MR_setDefaultPersistentStore:", Store.mr_setDefaultPersistentStore as (Store?) -> Void)
        row("NSPersistentStore +MR_defaultLocalStoreUrl", Store.mr_defaultLocalStoreUrl as () -> URL)
        row("NSPersistentStore +MR_urlForStoreName:", Store.mr_url(forStoreName:) as (String) -> URL?)
        row(
            "NSPersistentStore +MR_cloudURLForUbiquitousContainer:",
            Store.mr_cloudURL(forUbiquitousContainer:) as (String) -> URL?)
        row("NSManagedObjectModel +MR_defaultManagedObjectModel", Model.mr_default as () -> Model?)
        row(
            "NSManagedObjectModel +MR_setDefaultManagedObjectModel:",
            Model.mr_setDefaultManagedObjectModel as (Model?) -> Void)
        row(
            "NSManagedObjectModel +MR_mergedObjectModelFromMainBundle",
            Model.mr_mergedObjectModelFromMainBundle as () -> Model?)
        row(
            "NSManagedObjectModel +MR_newManagedObjectModelNamed:",
            Model.mr_newManagedObjectModelNamed as (String) -> Model?)
        row("NSManagedObjectModel +MR_managedObjectModelNamed:", Model.mr_managedObjectModelNamed as (String) -> Model?)
        row(
            "NSManagedObjectModel +MR_newModelNamed:inBundleNamed:",
            Model.mr_newModelNamed(_:inBundleNamed:) as (String, String) -> Model?)
        row(
            "NSManagedObjectModel +MR_newModelNamed:inBundle:",
            Model.mr_newModelNamed(_:in:) as (String, Bundle) -> Model?)
    }
}
