import AddressBookModel
import Foundation
import MagicalRecord

extension AddressBook {
    /// Returns what was saved after a token, in the order of the saves, and the token to continue with.
    ///
    /// Without a token it returns the token of now and no changes: a client takes it before it reads all pages, and follows the
    /// changes from there.
    ///
    /// - Parameter limit: the number of saves that are reported at most; a save is never divided.
    /// - Throws: `NSPersistentHistoryTokenExpiredError` if history after the token was purged.
    public func changes(after token: HistoryToken?, limit: Int) async throws -> ChangeList {
        guard let token else { return ChangeList(token: try await currentToken().text, changes: []) }
        return try await stack.read { context in
            // History and contacts are read in one state of the store.
            let saves = try Self.saves(after: token, limit: limit + 1, in: context)
            let shown = saves.prefix(limit)
            let last = shown.last.map { HistoryToken($0.token) } ?? token
            return ChangeList(
                token: try last.text, changes: try Self.changes(in: shown.flatMap { $0.changes ?? [] }, context),
                hasMore: saves.count > limit)
        }
    }

    /// Deletes the history before a date.
    public func purgeHistory(before date: Date) throws {
        for store in stack.stores { try HistoryRetention(of: store).purge(before: date) }
    }

    private func currentToken() async throws -> HistoryToken {
        try await stack.read { context in
            // Fails if the store does not answer, which the coordinator's function does not tell.
            _ = try User.exists(in: context)
            return HistoryToken(
                context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) ?? .init())
        }
    }

    private static func saves(
        after token: HistoryToken, limit: Int, in context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token.token)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.fetchLimit = limit
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    /// Returns the changes of contacts with their IDs. A contact that was deleted has its ID in the deletion's tombstone; if that
    /// comes later than these changes, its earlier ones are left out.
    private static func changes(
        in changes: [NSPersistentHistoryChange], _ context: NSManagedObjectContext
    ) throws -> [Change] {
        let changes = changes.filter { $0.changedObjectID.entity.name == "User" }
        var ids: [NSManagedObjectID: Int32] = [:]
        for change in changes where change.changeType == .delete {
            ids[change.changedObjectID] = (change.tombstone?["user_id"] as? NSNumber)?.int32Value
        }
        let alive = Set(changes.map(\.changedObjectID)).subtracting(ids.keys)
        for user in try User.where(.format("SELF IN %@", Array(alive))).findAll(in: context) {
            ids[user.objectID] = user.user_id
        }
        return changes.compactMap { change in
            ids[change.changedObjectID].map { Change(kind: .init(change.changeType), id: $0) }
        }
    }
}

extension Change.Kind {
    fileprivate init(_ type: NSPersistentHistoryChangeType) {
        switch type {
        case .insert: self = .insert
        case .update: self = .update
        case .delete: self = .delete
        @unknown default: self = .update
        }
    }
}
