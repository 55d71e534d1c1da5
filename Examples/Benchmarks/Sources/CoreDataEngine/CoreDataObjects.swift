import CoreData
import Foundation
import Workloads

/// Managed objects in memory, accessed by their generated accessors.
public final class CoreDataObjects: ObjectEngine {
    /// The name on the command line and in the table.
    public static let name = "coredata"
    /// The kind of file that the engine opens.
    public static let storeKind = StoreKind.coreData

    private let container: NSPersistentContainer
    private var users: [User] = []

    /// Opens a persistent container on the store. With `loaded`, fetches the users.
    public init(storeAt url: URL, loaded: Bool) throws {
        container = try Container.open(url, synchronous: .normal)
        if loaded { users = try fetchUsers(prefetching: false) }
    }

    /// Reads three properties of each object.
    public func readProperties(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { user.addThree(to: &checksum) }
        }
        return checksum
    }

    /// Reads the two numbers of each object.
    public func readNumbers(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(userID: user.userID, name: 0, balance: user.balance) }
        }
        return checksum
    }

    /// Reads the name of each object.
    public func readTexts(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(Checksum.mark(user.name)) }
        }
        return checksum
    }

    /// Sets two properties of each object.
    public func writeProperties(times: Int) throws {
        for round in 0..<times {
            for user in users {
                user.balance = Double(round)
                user.status = Int32(round)
            }
        }
    }

    /// Inserts objects into the view context.
    public func insertObjects(_ rows: [UserRow]) throws -> Checksum {
        let inserted = rows.map { row in
            let user = User(context: container.viewContext)
            user.take(row)
            return user
        }
        var checksum = Checksum()
        for user in inserted { user.addThree(to: &checksum) }
        return checksum
    }

    /// Fetches the users and reads their messages.
    public func traverse(prefetching: Bool) throws -> Checksum {
        users = try fetchUsers(prefetching: prefetching)
        return try traverseAgain()
    }

    /// Reads the messages of the fetched users.
    public func traverseAgain() throws -> Checksum {
        var checksum = Checksum()
        for user in users {
            for message in user.messages { message.add(to: &checksum) }
        }
        return checksum
    }

    private func fetchUsers(prefetching: Bool) throws -> [User] {
        let request = NSFetchRequest<User>(entityName: "User")
        request.returnsObjectsAsFaults = false
        request.predicate = NSPredicate(format: "userID <= %d", People.writers)
        if prefetching { request.relationshipKeyPathsForPrefetching = ["messages"] }
        return try container.viewContext.fetch(request)
    }
}
