#if !canImport(Darwin)
import MagicalRecordTestSupport
import Testing

/// What a platform does not have, and what older versions of Swift called otherwise, is an error of the compiler's that names what
/// to use instead.
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

    /// Swift 2 wrote the original's selectors as they are. One name of each class and kind of label.
    @Test func namesOfSwift2() throws {
        let errors = try SwiftCompiler.errors(
            in: """
                import MagicalRecord

                final class Person: NSManagedObject {}
                func useFormerNames(_ context: NSManagedObjectContext, _ person: Person, _ predicate: NSPredicate) {
                    _ = Person.MR_findAll() as? [Person]
                    _ = Person.MR_findFirstByAttribute("name", withValue: "Ann")?.objectID
                    _ = Person.MR_findAllSortedBy("name", ascending: true, withPredicate: predicate, inContext: context)
                    _ = Person.MR_createEntity()
                    _ = Person.MR_importFromObject(["name": "Ann"], inContext: context)
                    _ = Person.MR_countOfEntitiesWithPredicate(predicate)
                    _ = Person.MR_requestAllWhere("name", isEqualTo: nil)
                    person.MR_deleteEntity()
                    _ = person.MR_inContext(NSManagedObjectContext.MR_defaultContext())
                    context.MR_saveToPersistentStoreWithCompletion { saved, error in print(saved) }
                    context.MR_saveWithBlockAndWait { local in print(local) }
                    _ = NSPersistentStore.MR_urlForStoreName("a")
                    _ = NSManagedObjectModel.MR_defaultManagedObjectModel()
                    _ = NSPersistentStoreCoordinator.MR_coordinatorWithSqliteStoreNamed("a")
                }
                """)
        let names = errors.compactMap { error in
            error.components(separatedBy: "has been renamed to '").last?.components(separatedBy: "'").first
        }
        // The names are those of the original's headers as Swift imports them.
        #expect(
            Set(names) == [
                "mr_findAll()", "mr_findFirst(byAttribute:withValue:)", "mr_findAllSorted(by:ascending:with:in:)",
                "mr_createEntity()", "mr_import(from:in:)", "mr_countOfEntities(with:)",
                "mr_requestAllWhere(_:isEqualTo:)",
                "mr_deleteEntity()", "mr_(in:)", "mr_default()", "mr_saveToPersistentStore(completion:)",
                "mr_save(blockAndWait:)", "mr_url(forStoreName:)", "mr_coordinator(withSqliteStoreNamed:)",
            ])
        #expect(errors.count == 15)
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
