import CoreData
import Foundation

extension Stack {
    /// Returns all transactions and changes of the store's history, one line each, in the format of ``SceneHistory/lines``.
    ///
    /// - Throws: Core Data's errors, ``InteropError`` if a history request has no result.
    func historyLines() throws -> [String] {
        let transactions = try history(after: nil)
        var lines: [String] = []
        for (index, transaction) in transactions.enumerated() {
            let number = index + 1
            // A token must select exactly the transactions after its own.
            let rest = try history(after: transaction.token)
            lines.append(
                SceneHistory.line(transaction: number, author: transaction.author ?? "", after: rest.count))
            for change in transaction.changes ?? [] { lines.append(line(number, change)) }
        }
        return lines.sorted()
    }

    private func history(after token: NSPersistentHistoryToken?) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        guard let answer = try context.execute(request) as? NSPersistentHistoryResult,
            let transactions = answer.result as? [NSPersistentHistoryTransaction]
        else { throw InteropError("the store has no history") }
        return transactions
    }

    private func line(_ number: Int, _ change: NSPersistentHistoryChange) -> String {
        switch change.changeType {
        case .insert:
            return SceneHistory.line(number, "insert", key(of: change.changedObjectID))
        case .update:
            let names = Set((change.updatedProperties ?? []).map(\.name))
            return SceneHistory.line(number, "update", key(of: change.changedObjectID), of: names)
        case .delete:
            return SceneHistory.line(number, "delete", change.tombstone?["key"] as? String)
        @unknown default:
            return "history \(number): a change of an unknown kind"
        }
    }

    /// Returns the key of an object, or nil if it has been deleted.
    private func key(of id: NSManagedObjectID) -> String? {
        (try? context.existingObject(with: id)).map(Self.key)
    }
}
