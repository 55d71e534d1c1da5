#if !canImport(Darwin)
import MagicalRecordTestSupport
import Testing

/// What a platform does not have is an error of the compiler's that names what to use instead.
@Suite(.enabled(if: SwiftCompiler.hasModules, SwiftCompiler.need)) struct UnavailableNameTests {
    @Test func iCloud() throws {
        let errors = try SwiftCompiler.errors(
            in: """
                import MagicalRecord

                func useICloud(_ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext, _ url: URL) {
                    MagicalRecord.setupCoreDataStackWithiCloudContainer("c", localStoreNamed: "s")
                    MagicalRecord.setupCoreDataStackWithiCloudContainer(
                        "c", contentNameKey: nil, localStoreNamed: "s", cloudStorePathComponent: nil)
                    MagicalRecord.setupCoreDataStackWithiCloudContainer(
                        "c", contentNameKey: nil, localStoreNamed: "s", cloudStorePathComponent: nil, completion: nil)
                    MagicalRecord.setupCoreDataStackWithiCloudContainer("c", localStoreAt: url)
                    MagicalRecord.setupCoreDataStackWithiCloudContainer(
                        "c", contentNameKey: nil, localStoreAt: url, cloudStorePathComponent: nil)
                    MagicalRecord.setupCoreDataStackWithiCloudContainer(
                        "c", contentNameKey: nil, localStoreAt: url, cloudStorePathComponent: nil, completion: nil)
                    _ = NSPersistentStoreCoordinator.mr_coordinatorWithiCloudContainerID(
                        "c", contentNameKey: nil, localStoreNamed: "s", cloudStorePathComponent: nil)
                    _ = NSPersistentStoreCoordinator.mr_coordinatorWithiCloudContainerID(
                        "c", contentNameKey: nil, localStoreAt: url, cloudStorePathComponent: nil)
                    coordinator.mr_addiCloudContainerID(
                        "c", contentNameKey: nil, localStoreNamed: "s", cloudStorePathComponent: nil)
                    coordinator.mr_addiCloudContainerID(
                        "c", contentNameKey: nil, localStoreAt: url, cloudStorePathComponent: nil)
                    context.mr_observeiCloudChanges(in: coordinator)
                    context.mr_stopObservingiCloudChanges(in: coordinator)
                }
                """)
        #expect(errors.count == 12)
        for error in errors { #expect(error.contains("is unavailable: There is no document storage in iCloud here; ")) }
        let advice = errors.compactMap { $0.components(separatedBy: "iCloud here; ").last }
        #expect(
            Set(advice) == [
                "use setUp(_:), or setupCoreDataStack(withStoreNamed:)",
                "use setUp(_:), or setupCoreDataStackWithStore(at:)", "use mr_coordinator(withSqliteStoreNamed:)",
                "use mr_coordinatorWithSqliteStore(at:)", "use mr_addSqliteStoreNamed(_:withOptions:)",
                "a stack keeps its contexts in step by itself",
            ])
    }

    /// On Apple's platforms any object may be the target, and is sent the action.
    @Test func errorTargets() throws {
        let errors = try SwiftCompiler.errors(
            in: """
                import MagicalRecord

                final class Target: NSObject {}
                func useTarget(_ target: Target) {
                    MagicalRecord.setErrorHandlerTarget(target, action: Selector("take:"))
                }
                """)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("MagicalRecordErrorTarget") == true)
    }
}
#endif
