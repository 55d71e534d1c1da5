import CoreData
import Foundation
import MagicalRecord

/// A singleton in front of MagicalRecord: two private contexts on the default coordinator, both merged into the
/// default context on the main queue.
final class DirectoryDatabase {
    static let shareInstance = DirectoryDatabase()

    private let userContext: NSManagedObjectContext
    private let messageContext: NSManagedObjectContext
    private var observer: NSObjectProtocol?

    private init() {
        userContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        userContext.persistentStoreCoordinator = NSPersistentStoreCoordinator.mr_default()
        messageContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        messageContext.persistentStoreCoordinator = NSPersistentStoreCoordinator.mr_default()
        let contexts = [userContext, messageContext]
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { notification in
            guard let saved = notification.object as? NSManagedObjectContext, contexts.contains(saved) else { return }
            let main = NSManagedObjectContext.mr_default()
            main.perform {
                main.mergeChanges(fromContextDidSave: notification)
            }
        }
    }

    deinit {
        if let observer = observer {
            NotificationCenter.default.removeObserver(observer)
        }
    }

    func save(_ person: DirectoryPerson) {
        userContext.performAndWait {
            var user = User.mr_findFirst(
                with: NSPredicate(format: "user_id == %d", person.userID), in: userContext)
            if user == nil {
                user = User.mr_createEntity(in: userContext)
            }
            user?.map(person)
            do {
                try userContext.save()
            } catch {
                NSLog("saving a user failed: %@", error.localizedDescription)
            }
        }
    }

    func friends(filter: String?) -> [DirectoryPerson] {
        var result: [DirectoryPerson] = []
        userContext.performAndWait {
            let users: [NSManagedObject]?
            if let filter = filter, !filter.isEmpty {
                users = User.mr_findAll(
                    with: NSPredicate(
                        format: "(isFriend == 1) AND ((display_name contains[c] %@) || ((user_name contains[c] %@)))",
                        filter, filter),
                    in: userContext)
            } else {
                users = User.mr_findAll(with: NSPredicate(format: "isFriend == 1"), in: userContext)
            }
            for case let user as User in users ?? [] {
                result.append(DirectoryPerson(user: user))
            }
        }
        return result
    }

    func unfriend(userID: Int) {
        userContext.performAndWait {
            if let user = User.mr_findFirst(with: NSPredicate(format: "user_id == %d", userID), in: userContext) {
                user.isFriend = false
            }
            try? userContext.save()
        }
    }

    func remove(userID: Int) {
        userContext.performAndWait {
            _ = User.mr_deleteAll(matching: NSPredicate(format: "user_id == %d", userID), in: userContext)
            try? userContext.save()
        }
    }

    func post(_ text: String, from userID: Int) {
        messageContext.performAndWait {
            guard
                let sender = User.mr_findFirst(
                    byAttribute: "user_id", withValue: NSNumber(value: userID), in: messageContext)
            else { return }
            let message = Message.mr_createEntity(in: messageContext)
            message?.body = text
            message?.sent = Date()
            message?.sender = sender
            try? messageContext.save()
        }
    }
}
