import CoreData
import Foundation
import MagicalRecord
import Workloads

extension CoreDataEngine {
    /// Fetches all users as managed objects.
    public func fetchAll(reading width: Width) throws -> Checksum {
        var checksum = Checksum()
        for user in try context.fetch(users()) {
            switch width {
            case .three: user.addThree(to: &checksum)
            case .all: user.addAll(to: &checksum)
            }
        }
        return checksum
    }

    /// Fetches the object IDs of all users.
    public func fetchIdentifiers() throws -> () throws -> Checksum {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "User")
        request.resultType = .managedObjectIDResultType
        let identifiers = try context.fetch(request)
        return {
            var checksum = Checksum()
            for identifier in identifiers {
                let name = identifier.uriRepresentation().lastPathComponent
                guard let key = UInt64(name.dropFirst()) else { throw BenchmarkError("\(name) names no row") }
                checksum.add(key)
            }
            return checksum
        }
    }

    /// Counts with one count request for each threshold.
    public func countFriends(richerThan thresholds: [Double]) throws -> Checksum {
        var checksum = Checksum()
        for threshold in thresholds {
            checksum.add(
                UInt64(
                    try context.count(for: users(NSPredicate(format: "isFriend == YES AND balance > %lf", threshold)))))
        }
        return checksum
    }

    /// Finds users with one request each, with `together` in one `performAndWait`.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func find(_ userID: Int64) throws {
            let request = users(NSPredicate(format: "userID == %lld", userID))
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

    /// Finds users in a context pinned to a query generation.
    public func findInOneState(_ userIDs: [Int64]) throws -> Checksum {
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            defer { try? context.setQueryGenerationFrom(nil) }
            return try find(userIDs, together: true)
        }
    }

    /// Searches with one request for each fragment.
    public func search(_ fragments: [String], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        for fragment in fragments {
            let request = users(
                NSPredicate(format: "isFriend == YES AND name CONTAINS[c] %@", fragment as NSString))
            request.sortDescriptors = [
                NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "userID", ascending: true),
            ]
            request.fetchLimit = limit
            for user in try context.fetch(request) { user.addThree(to: &checksum) }
        }
        return checksum
    }

    /// Reads a to-many relationship of each user, as a fault or prefetched.
    public func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum {
        var checksum = Checksum()
        let request = users(NSPredicate(format: "userID <= %lld", lastID))
        if prefetched { request.relationshipKeyPathsForPrefetching = ["messages"] }
        for user in try context.fetch(request) {
            for message in user.messages { message.add(to: &checksum) }
        }
        return checksum
    }

    /// Runs a grouped dictionary request, `times` times.
    public func balancesByCountry(times: Int) throws -> Checksum {
        let request = NSFetchRequest<NSDictionary>(entityName: "User")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [
            "country", Self.expression("number", "count:", of: "objectID", .integer64AttributeType),
            Self.expression("average", "average:", of: "balance", .doubleAttributeType),
        ]
        request.propertiesToGroupBy = ["country"]

        var checksum = Checksum()
        for _ in 0..<times {
            for row in try context.fetch(request) {
                guard let country = row["country"] as? NSNumber, let number = row["number"] as? NSNumber,
                    let average = row["average"] as? NSNumber
                else { throw BenchmarkError("a group lacks a value: \(row)") }
                checksum.add(userID: country.int64Value, name: number.uint64Value, balance: average.doubleValue)
            }
        }
        return checksum
    }

    private static func expression(
        _ name: String, _ function: String, of key: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        description.expressionResultType = type
        return description
    }

    /// Fetches one page of users, sorted by number.
    public func readPage(from userID: Int64, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        let request = users(NSPredicate(format: "userID >= %lld", userID))
        request.sortDescriptors = [NSSortDescriptor(key: "userID", ascending: true)]
        request.fetchLimit = limit
        for user in try context.fetch(request) { user.addAll(to: &checksum) }
        return checksum
    }

    /// Fetches all users as managed objects and keeps them in memory.
    public func holdAll() throws -> Checksum {
        let everybody = try context.fetch(users())
        var checksum = Checksum()
        for user in everybody { user.addThree(to: &checksum) }
        return withExtendedLifetime(everybody) { checksum }
    }

    /// Iterates with MagicalRecord's `forEachBatch`, which releases each batch before it fetches the next.
    public func iterate(batch: Int) throws -> Checksum {
        var checksum = Checksum()
        try User.all.forEachBatch(of: batch, in: context) { users in
            for user in users { user.addAll(to: &checksum) }
        }
        return checksum
    }

    /// Iterates over one batched result (`fetchBatchSize`), which loads and releases rows on access.
    public func walk(batch: Int) throws -> Checksum {
        var checksum = Checksum()
        let request = NSFetchRequest<User>(entityName: "User")
        request.fetchBatchSize = batch
        for user in try context.fetch(request) { user.addAll(to: &checksum) }
        return checksum
    }
}
