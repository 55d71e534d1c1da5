import CoreData
import Foundation
import Workloads

extension CoreDataEngine {
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

    public func update(status: Int32) throws {
        for user in try context.fetch(users(NSPredicate(format: "status == %d", status))) {
            user.balance += 1
            user.lastUpdate.addTimeInterval(60)
        }
        try context.save()
    }

    public func delete(status: Int32, nullify: Bool) throws {
        for user in try context.fetch(users(NSPredicate(format: "status == %d", status))) {
            context.delete(user)
        }
        try context.save()
    }

    public func importUsers(json: Data) throws {
        try Self.importUsers(try JSONDecoder().decode([UserRow].self, from: json), in: context)
    }

    static func importUsers(_ rows: [UserRow], in context: NSManagedObjectContext) throws {
        // Known users are looked up ahead, so that no look-up has unsaved changes to take into account.
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

    public func makeWriter() throws -> any StoreWriter {
        CoreDataWriter(context: container.newBackgroundContext())
    }
}

/// A background context: one save a call, nothing kept.
private struct CoreDataWriter: StoreWriter {
    let context: NSManagedObjectContext

    func write(_ rows: [UserRow]) throws {
        try context.performAndWait {
            try CoreDataEngine.insert(rows, savingEvery: rows.count, in: context)
            context.reset()
        }
    }
}
