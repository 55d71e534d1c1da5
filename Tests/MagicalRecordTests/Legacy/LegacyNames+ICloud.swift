import MagicalRecord

#if os(macOS) || os(iOS)
extension LegacyNames {
    @available(*, deprecated, message: "Names what is deprecated")
    mutating func addICloud() {
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:localStoreNamed:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(_:localStoreNamed:) as (String, String) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(
                _:contentNameKey:localStoreNamed:cloudStorePathComponent:)
                as (String, String?, String, String?) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:"
                + "cloudStorePathComponent:completion:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(
                _:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
                as (String, String?, String, String?, Callback?) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:localStoreAtURL:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(_:localStoreAt:) as (String, URL) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(_:contentNameKey:localStoreAt:cloudStorePathComponent:)
                as (String, String?, URL, String?) -> Void)
        row(
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:"
                + "cloudStorePathComponent:completion:",
            MagicalRecord.setupCoreDataStackWithiCloudContainer(
                _:contentNameKey:localStoreAt:cloudStorePathComponent:completion:)
                as (String, String?, URL, String?, Callback?) -> Void)
        addICloudStores(named: "localStoreNamed")
        addICloudStores(named: "localStoreAtURL")
        row(
            "NSManagedObjectContext -MR_observeiCloudChangesInCoordinator:",
            Ctx.mr_observeiCloudChanges(in:) as (Ctx) -> (Coordinator) -> Void)
        row(
            "NSManagedObjectContext -MR_stopObservingiCloudChangesInCoordinator:",
            Ctx.mr_stopObservingiCloudChanges(in:) as (Ctx) -> (Coordinator) -> Void)
    }

    /// The forms without completion are those with it, left out.
    @available(*, deprecated, message: "Names what is deprecated")
    private mutating func addICloudStores(named store: String) {
        let byName =
            Coordinator.mr_coordinatorWithiCloudContainerID(
                _:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
            as (String, String?, String, String?, Callback?) -> Coordinator
        let byURL =
            Coordinator.mr_coordinatorWithiCloudContainerID(
                _:contentNameKey:localStoreAt:cloudStorePathComponent:completion:)
            as (String, String?, URL, String?, Callback?) -> Coordinator
        let addByName =
            Coordinator.mr_addiCloudContainerID(
                _:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
            as (Coordinator) -> (String, String?, String, String?, Callback?) -> Void
        let addByURL =
            Coordinator.mr_addiCloudContainerID(_:contentNameKey:localStoreAt:cloudStorePathComponent:completion:)
            as (Coordinator) -> (String, String?, URL, String?, Callback?) -> Void
        for completion in ["", "completion:"] {
            let rest = "contentNameKey:\(store):cloudStorePathComponent:\(completion)"
            row("NSPersistentStoreCoordinator +MR_coordinatorWithiCloudContainerID:\(rest)", (byName, byURL))
            row("NSPersistentStoreCoordinator -MR_addiCloudContainerID:\(rest)", (addByName, addByURL))
        }
    }
}
#else
extension LegacyNames {
    /// Declared, but unavailable: see `UnavailableNameTests`.
    mutating func addICloud() {
        names += [
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:localStoreNamed:",
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:",
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:",
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:localStoreAtURL:",
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:",
            "MagicalRecord +setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:",
            "NSManagedObjectContext -MR_observeiCloudChangesInCoordinator:",
            "NSManagedObjectContext -MR_stopObservingiCloudChangesInCoordinator:",
            "NSPersistentStoreCoordinator +MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:",
            "NSPersistentStoreCoordinator +MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:",
            "NSPersistentStoreCoordinator +MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:",
            "NSPersistentStoreCoordinator +MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:",
            "NSPersistentStoreCoordinator -MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:",
            "NSPersistentStoreCoordinator -MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:",
            "NSPersistentStoreCoordinator -MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:",
            "NSPersistentStoreCoordinator -MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:",
        ]
    }
}
#endif
