import CoreData
import Foundation
import Workloads

/// Managed objects in memory, through their generated accessors.
public final class CoreDataObjects: ObjectEngine {
    public static let name = "coredata"
    public static let storeKind = StoreKind.coreData

    private let container: NSPersistentContainer
    private var users: [User] = []

    public init(storeAt url: URL, loaded: Bool) throws {
        container = try Container.open(url, synchronous: .normal)
        if loaded { users = try fetchUsers(prefetching: false) }
    }

    public func readProperties(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { user.addThree(to: &checksum) }
        }
        return checksum
    }

    public func readNumbers(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(userID: user.userID, name: 0, balance: user.balance) }
        }
        return checksum
    }

    public func readTexts(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(Checksum.mark(user.name)) }
        }
        return checksum
    }

    public func writeProperties(times: Int) throws {
        for round in 0..<times {
            for user in users {
                user.balance = Double(round)
                user.status = Int32(round)
            }
        }
    }

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

    public func traverse(prefetching: Bool) throws -> Checksum {
        users = try fetchUsers(prefetching: prefetching)
        return try traverseAgain()
    }

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
