#if !canImport(ObjectiveC)
import Foundation
import MagicalRecord

/// An address book with three faults that cost time.
enum SlowAddressBook {
    // snippet
    static func messageCounts(in context: NSManagedObjectContext) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for user in try context.fetch(NSFetchRequest<User>(entityName: "User")) {
            counts[user.userID] = user.messages.count
        }
        return counts
    }
    // end

    // snippet
    static func friendCount(in context: NSManagedObjectContext) throws -> Int {
        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = NSPredicate(format: "isFriend == YES")
        return try context.fetch(request).count
    }
    // end

    // snippet
    static func add(_ names: [String], to context: NSManagedObjectContext) throws {
        for name in names {
            let user = User(context: context)
            user.displayName = name
            try context.save()
        }
    }
    // end
}

/// The same without them.
enum MendedAddressBook {
    // snippet
    static func messageCounts(in context: NSManagedObjectContext) throws -> [Int64: Int] {
        let request = NSFetchRequest<User>(entityName: "User")
        request.relationshipKeyPathsForPrefetching = ["messages"]
        var counts: [Int64: Int] = [:]
        for user in try context.fetch(request) {
            counts[user.userID] = user.messages.count
        }
        return counts
    }
    // end

    // snippet
    static func friendCount(in context: NSManagedObjectContext) throws -> Int {
        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = NSPredicate(format: "isFriend == YES")
        return try context.count(for: request)
    }
    // end

    // snippet
    static func add(_ names: [String], to context: NSManagedObjectContext) throws {
        for name in names {
            let user = User(context: context)
            user.displayName = name
        }
        try context.save()
    }
    // end
}
#endif
