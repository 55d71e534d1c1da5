// snippet
import CoreData
// end
import Foundation
import MagicalRecord

// snippet
final class LargerWins: NSMergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        for conflict in list {
            let mine = conflict.objectSnapshot?["pages"] as? Int ?? 0
            let theirs = conflict.persistedSnapshot?["pages"] as? Int ?? 0
            try super.resolve(optimisticLockingConflicts: [conflict])
            conflict.sourceObject.setValue(max(mine, theirs), forKey: "pages")
        }
    }
}
// end

// snippet
final class Appointment: NSManagedObject {
    var month: String? {
        willAccessValue(forKey: "month")
        defer { didAccessValue(forKey: "month") }
        guard let date = value(forKey: "date") as? Date else { return nil }
        return date.formatted(.iso8601.year().month())
    }
}

#if !canImport(ObjectiveC)
extension Appointment: ComputedKeys {
    static var computedKeys: [String: AnyKeyPath] { ["month": \Appointment.month] }
}
#endif
// end

final class FolderStore: NSAtomicStore, @unchecked Sendable {}

final class Book: NSManagedObject {
    func take(_ author: NSManagedObject) {
        // snippet
        willChangeValue(forKey: "author")
        setPrimitiveValue(author, forKey: "author")
        didChangeValue(forKey: "author")
        // end
    }
}

enum CoreDataSnippets {
    static func firstFetch() throws -> [User] {
        // snippet
        let container = NSPersistentContainer(name: "Model")
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }

        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = NSPredicate(format: "isFriend == YES AND displayName CONTAINS[c] %@", "an")
        request.sortDescriptors = [NSSortDescriptor(key: "displayName", ascending: true)]
        let friends = try container.viewContext.fetch(request)
        // end
        return friends
    }

    static func inBackground(_ container: NSPersistentContainer) async throws {
        // snippet
        let context = container.newBackgroundContext()
        try await context.perform {
            let request = NSFetchRequest<User>(entityName: "User")
            request.predicate = NSPredicate(format: "displayName == %@", "Ann")
            for user in try context.fetch(request) { user.isFriend = true }
            try context.save()
        }
        // end
    }

    static func identities(_ context: NSManagedObjectContext) throws {
        // snippet
        let ann = User(context: context)
        ann.displayName = "Ann"
        print(ann.objectID.isTemporaryID, ann.changedValues())

        try context.save()
        print(ann.objectID.isTemporaryID, ann.hasChanges)
        // end
    }

    static func withoutContainer(model: NSManagedObjectModel, url: URL) throws -> NSManagedObjectContext {
        // snippet
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        // end
        _ = store
        return context
    }

    static func inServer(url: URL) -> NSPersistentContainer {
        // snippet
        let container = NSPersistentContainer(name: "AddressBook")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        // end
        return container
    }

    static func history(
        description: NSPersistentStoreDescription, coordinator: NSPersistentStoreCoordinator,
        context: NSManagedObjectContext, after token: inout NSPersistentHistoryToken?
    ) throws {
        // snippet
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        // end

        // snippet
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let others = NSPersistentHistoryTransaction.fetchRequest!
        others.predicate = NSPredicate(format: "author != %@", "app")
        request.fetchRequest = others
        let result = try context.execute(request) as! NSPersistentHistoryResult
        for transaction in result.result as! [NSPersistentHistoryTransaction] {
            context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        // end

        // snippet
        try context.setQueryGenerationFrom(.current)
        // end
    }

    static func inferred(coordinator: NSPersistentStoreCoordinator, url: URL) throws {
        // snippet
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        // end
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    static func staged(
        second: NSManagedObjectModelReference, third: NSManagedObjectModelReference, firstChecksum: String,
        secondChecksum: String
    ) -> [String: Any] {
        var options: [String: Any] = [:]
        // snippet
        let stage = NSCustomMigrationStage(migratingFrom: second, to: third)
        stage.willMigrateHandler = { manager, stage in
            let context = manager.container!.newBackgroundContext()
            try context.performAndWait { try context.save() }
        }
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
            NSLightweightMigrationStage([firstChecksum, secondChecksum]), stage,
        ])
        // end
        return options
    }

    static func open(model: NSManagedObjectModel, url: URL) throws {
        // snippet
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        // end
        _ = store
    }

    #if !canImport(Darwin)
    static func model(of url: URL) throws -> NSManagedObjectModel {
        // snippet
        let model = try NSManagedObjectModel(cachedInStoreAt: url)
        // end
        return model
    }
    #endif

    static func walk(_ request: NSFetchRequest<User>, context: NSManagedObjectContext) throws {
        // snippet
        request.fetchBatchSize = 500
        for user in try context.fetch(request) { print(user.displayName ?? "?") }
        // end
    }

    static func registered(coordinator: NSPersistentStoreCoordinator, folder: URL) throws {
        // snippet
        NSPersistentStoreCoordinator.registerStoreClass(FolderStore.self, forStoreType: "FolderStore")
        try coordinator.addPersistentStore(ofType: "FolderStore", configurationName: nil, at: folder)
        // end
    }

    #if !canImport(Darwin)
    static func retain(
        store: NSPersistentStore, context: NSManagedObjectContext,
        index: (NSPersistentHistoryTransaction) throws -> Void
    ) throws {
        // snippet
        let retention = HistoryRetention(of: store)
        let token = try retention.register("search index")
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as! NSPersistentHistoryResult
        for transaction in result.result as! [NSPersistentHistoryTransaction] {
            try index(transaction)
            try retention.advance("search index", to: transaction.token)
        }
        try retention.purge(before: Date(timeIntervalSinceNow: -7 * 86_400))
        // end
    }

    static func followOthers(_ show: (Int) -> Void) async throws {
        // snippet
        let store = try MagicalRecord.Store.postgreSQL("postgresql:///library").mergingRemoteChanges()
        let stack = try MagicalRecord.Stack([store], shape: .server)
        for try await count in User.all.observeCount(in: stack.mainContext) { show(count) }
        // end
        // snippet
        let retention = HistoryRetention(of: stack.stores[0])
        try retention.purge(before: Date(timeIntervalSinceNow: -7 * 86_400))
        // end
    }
    #endif

    @MainActor static func follow(_ show: (MagicalRecord.ResultList<User>) -> Void) async throws {
        // snippet
        for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() {
            show(friends)
        }
        // end
    }
}

final class FriendList: NSObject, NSFetchedResultsControllerDelegate {
    func start(_ context: NSManagedObjectContext) throws {
        // snippet
        let request = NSFetchRequest<User>(entityName: "User")
        request.sortDescriptors = [
            NSSortDescriptor(key: "countryCode", ascending: true),
            NSSortDescriptor(key: "displayName", ascending: true),
        ]
        request.fetchBatchSize = 50
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "countryCode", cacheName: "users")
        controller.delegate = self
        try controller.performFetch()
        // end
    }
}
