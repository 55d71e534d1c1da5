import CoreData
import Foundation
import Workloads

extension CoreDataEngine {
    /// Inserts managed objects, with one save per batch.
    public func insert(_ rows: [UserRow], savingEvery batch: Int) throws {
        try Self.insert(rows, savingEvery: batch, in: context)
    }

    fileprivate static func insert(
        _ rows: [UserRow], savingEvery batch: Int, in context: NSManagedObjectContext
    ) throws {
        for start in stride(from: 0, to: rows.count, by: batch) {
            for row in rows[start..<min(start + batch, rows.count)] {
                User(context: context).take(row)
            }
            try context.save()
        }
    }

    /// Fetches the users with a status, changes two properties of each and saves.
    public func update(status: Int32) throws {
        for user in try context.fetch(users(NSPredicate(format: "status == %d", status))) {
            user.balance += 1
            user.lastUpdate.addTimeInterval(60)
        }
        try context.save()
    }

    /// Fetches the users with a status, deletes each and saves. The delete rule nullifies the messages' sender.
    public func delete(status: Int32, nullify: Bool) throws {
        for user in try context.fetch(users(NSPredicate(format: "status == %d", status))) {
            context.delete(user)
        }
        try context.save()
    }

    /// Decodes users, looks up the existing ones in batches, and saves once.
    public func importUsers(json: Data) throws {
        try Self.importUsers(try JSONDecoder().decode([UserRow].self, from: json), in: context)
    }

    static func importUsers(_ rows: [UserRow], in context: NSManagedObjectContext) throws {
        // Look up existing users first, so that no fetch has to consider unsaved changes.
        var known: [Int64: User] = [:]
        for start in stride(from: 0, to: rows.count, by: 1_000) {
            let keys = rows[start..<min(start + 1_000, rows.count)].map(\.userID)
            for user in try context.fetch(User.request(NSPredicate(format: "userID IN %@", keys as NSArray))) {
                known[user.userID] = user
            }
        }
        for row in rows { (known[row.userID] ?? User(context: context)).take(row) }
        try context.save()
    }

    /// Imports users by a batch insert request with an overwriting merge policy.
    public func importBatch(json: Data) throws {
        var rows = try JSONDecoder().decode([UserRow].self, from: json).makeIterator()
        let request = NSBatchInsertRequest(
            entity: User.entity(),
            managedObjectHandler: { object in
                guard let row = rows.next(), let user = object as? User else { return true }
                user.take(row)
                return false
            })
        context.mergePolicy = NSMergePolicy.overwrite
        try context.execute(request)
    }

    /// Returns a writer with a background context.
    public func makeWriter() throws -> any StoreWriter {
        CoreDataWriter(context: container.newBackgroundContext())
    }
}

/// A writer with a background context, which is reset after each save.
private struct CoreDataWriter: StoreWriter {
    let context: NSManagedObjectContext

    func write(_ rows: [UserRow]) throws {
        try context.performAndWait {
            try CoreDataEngine.insert(rows, savingEvery: rows.count, in: context)
            context.reset()
        }
    }
}
