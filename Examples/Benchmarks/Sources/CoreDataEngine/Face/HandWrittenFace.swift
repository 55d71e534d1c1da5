import CoreData
import Foundation
import Workloads

/// The workloads of `MagicalRecordFace`, implemented with Core Data's functions.
///
/// Finding uses contexts of the same kind as MagicalRecord's: children of a private-queue context that writes. Saves and
/// imports in the background use a context on the coordinator, as in Xcode's template.
public final class HandWrittenFace: FaceEngine {
    /// The name on the command line and in the table.
    public nonisolated static let name = CoreDataEngine.name

    private let container: NSPersistentContainer
    private let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private let context: NSManagedObjectContext

    /// Opens a persistent container on the store.
    public init(storeAt url: URL) throws {
        container = try Container.open(url, synchronous: .normal)
        container.viewContext.automaticallyMergesChangesFromParent = true
        root.persistentStoreCoordinator = container.persistentStoreCoordinator
        root.undoManager = nil
        context = Self.child(of: root, .mainQueueConcurrencyType)
    }

    private static func child(
        of parent: NSManagedObjectContext, _ type: NSManagedObjectContextConcurrencyType
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.parent = parent
        context.undoManager = nil
        return context
    }

    /// Finds users with one fetch request each.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func find(_ userID: Int64) throws {
            let request = User.request(NSPredicate(format: "userID == %lld", userID))
            request.fetchLimit = 1
            try context.fetch(request).first?.addThree(to: &checksum)
        }
        if together {
            try context.performAndWait { try userIDs.forEach(find) }
        } else {
            for userID in userIDs {
                try context.performAndWait { try find(userID) }
            }
        }
        return checksum
    }

    /// Finds users in a background context pinned to a query generation.
    public func findInOneRead(_ userIDs: [Int64]) throws -> Checksum {
        let context = container.newBackgroundContext()
        return try awaiting {
            try await context.perform {
                try context.setQueryGenerationFrom(.current)
                var checksum = Checksum()
                for userID in userIDs {
                    let request = User.request(NSPredicate(format: "userID == %lld", userID))
                    request.fetchLimit = 1
                    try context.fetch(request).first?.addThree(to: &checksum)
                }
                return checksum
            }
        }
    }

    /// Searches with one fetch request for each number.
    public func search(from userIDs: [Int64], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        for first in userIDs {
            let request = User.request(
                NSPredicate(format: "userID >= %lld AND userID < %lld AND isFriend == YES", first, first + 400))
            request.sortDescriptors = Self.byName
            request.fetchLimit = limit
            for user in try context.fetch(request) { user.addThree(to: &checksum) }
        }
        return checksum
    }

    /// Finds or inserts each user in a child context, then saves the child and its parent.
    public func findOrCreate(_ rows: [UserRow]) throws {
        let context = Self.child(of: root, .privateQueueConcurrencyType)
        try context.performAndWait {
            for row in rows {
                let request = User.request(NSPredicate(format: "userID == %lld", row.userID))
                request.fetchLimit = 1
                if let user = try context.fetch(request).first {
                    user.balance = row.balance
                } else {
                    let user = User(context: context)
                    user.userID = row.userID
                    user.balance = row.balance
                }
            }
            try context.save()
        }
        try root.performAndWait { try root.save() }
    }

    /// Inserts users in a background context with one save each, and waits until the view context has merged them.
    public func saveEach(_ rows: [UserRow]) throws {
        let (context, viewContext) = (container.newBackgroundContext(), container.viewContext)
        try awaiting {
            try await Self.saveEach(rows, in: context)
            await viewContext.perform(schedule: .enqueued) {}
        }
    }

    private nonisolated static func saveEach(_ rows: [UserRow], in context: NSManagedObjectContext) async throws {
        for row in rows {
            try await context.perform {
                User(context: context).take(row)
                try context.save()
            }
        }
    }

    /// Decodes users with `JSONDecoder` and imports them in a background context.
    public func importRecords(json: Data) throws {
        let context = container.newBackgroundContext()
        try awaiting {
            try await context.perform {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .secondsSince1970
                try CoreDataEngine.importUsers(try decoder.decode([UserRow].self, from: json), in: context)
            }
        }
    }

    /// Observes the users with a fetched-results controller.
    public func watch() throws -> @MainActor ([Int]) throws -> Checksum {
        let context = context
        let request = User.request()
        request.sortDescriptors = Self.byName
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let listener = Listener()
        controller.delegate = listener
        try controller.performFetch()
        return { places in
            listener.list = controller.fetchedObjects ?? []
            for place in places {
                let other = listener.list[listener.list.count - 1 - place]
                listener.list[place].name = "\(other.name) \(place)"
                context.processPendingChanges()
                listener.list[place].addThree(to: &listener.checksum)
            }
            return listener.checksum
        }
    }

    private static let byName = [
        NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "userID", ascending: true),
    ]

    /// Closes the container.
    public func close() throws {
        try Container.close(container)
    }
}

/// The delegate that stores each new list.
private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
    var list: [User] = []
    var checksum = Checksum()

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        list = controller.fetchedObjects as? [User] ?? []
        checksum.add(UInt64(list.count))
    }
}
