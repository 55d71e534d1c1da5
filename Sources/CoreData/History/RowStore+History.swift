import CoreDataRowStorage
import Foundation
import PredicateFormat

// Conversion of history requests for stores, and the objects created from their answers.

extension RowStore {
    func run(
        _ request: NSPersistentHistoryChangeRequest, in session: any StoreSession
    ) throws -> NSPersistentHistoryResult {
        let type = request.resultType
        switch request.operation {
        case .fetch(let position):
            return NSPersistentHistoryResult(result: try fetch(request, after: position, in: session), resultType: type)
        case .fetchMatching:
            return NSPersistentHistoryResult(result: try fetch(request, after: .start, in: session), resultType: type)
        case .delete(let position):
            guard !isReadOnly else { throw StoreErrors.readOnly(self) }
            let count = try session.purgeHistory(before: limit(position, in: session))
            return NSPersistentHistoryResult(result: type == .count ? count : true, resultType: type)
        }
    }

    /// Returns the end of the history to be purged.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token from before the store was restored from a backup: other
    ///   readers may not have read the transactions now at its place.
    private func limit(
        _ position: NSPersistentHistoryChangeRequest.Position, in session: any StoreSession
    ) throws -> HistoryLimit {
        switch position {
        case .start: return .transaction(at: .start)
        case .date(let date): return .date(date)
        case .token(let token):
            guard let mark = token.marks[identifier] else { return .transaction(at: .start) }
            var query = HistoryQuery(.transactions, .nothing)
            query.needs = [HistoryQuery.Need(mark, includesTransaction: false)]
            if let unknown = try session.history(query).unknownMarks.first { throw HistoryTokens.isUnknown(unknown) }
            return .transaction(at: mark.place)
        }
    }

    private func fetch(
        _ request: NSPersistentHistoryChangeRequest, after position: NSPersistentHistoryChangeRequest.Position,
        in session: any StoreSession
    ) throws -> Any {
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        var tokens = HistoryTokens(places: HistoryPlaces(store: identifier, stores: stores.map(\.identifier)))
        var query = HistoryQuery(request)
        query.after = try tokens.place(after: position)
        query.predicate = try query.predicate.map { try tokens.resolve($0) }
        query.needs = tokens.needs
        var answer = try session.history(query)
        try HistoryTokens.check(answer)
        if query.subject == .transactions, !query.sortDescriptors.isEmpty { answer.orderChangesByTransactions() }
        switch request.resultType {
        case .statusOnly: return true
        case .count: return answer.count
        case .objectIDs: return objectIDs(of: answer.changes)
        case .transactionsOnly: return answer.transactions.map(transaction)
        case .transactionsAndChanges, .changesOnly:
            return objects(of: answer, isChangesOnly: request.resultType == .changesOnly)
        }
    }

    // MARK: Objects

    private func objectIDs(of changes: [HistoryChange]) -> [String: Set<NSManagedObjectID>] {
        var sets: [String: Set<NSManagedObjectID>] = [:]
        for change in changes {
            sets[change.kind.changeType.objectIDsKey, default: []].insert(objectID(for: change.row))
        }
        return sets
    }

    private func transaction(_ record: HistoryTransaction) -> NSPersistentHistoryTransaction {
        let transaction = NSPersistentHistoryTransaction(
            timestamp: record.timestamp, transactionNumber: record.number, place: record.place, storeID: identifier,
            bundleID: record.bundleID, processID: record.processID, contextName: record.contextName,
            author: record.author)
        transaction.isOwn = record.isOwn
        return transaction
    }

    private func change(_ record: HistoryChange) -> NSPersistentHistoryChange {
        let known = layouts?.byNumber[record.row.entityNumber]?.entity.propertiesByName ?? [:]
        return NSPersistentHistoryChange(
            changeID: record.number, changedObjectID: objectID(for: record.row), changeType: record.kind.changeType,
            tombstone: record.tombstone, updatedProperties: record.properties.map { Set($0.compactMap { known[$0] }) })
    }

    /// Returns transactions with their changes, or changes that retain their transactions.
    private func objects(of answer: HistoryAnswer, isChangesOnly: Bool) -> Any {
        let transactions = answer.transactions.map(transaction)
        let byNumber = Dictionary(transactions.map { ($0.transactionNumber, $0) }) { first, _ in first }
        var changes: [NSPersistentHistoryChange] = []
        changes.reserveCapacity(isChangesOnly ? answer.changes.count : 0)
        if !isChangesOnly { for transaction in transactions { transaction.changes = [] } }
        for record in answer.changes {
            guard let transaction = byNumber[record.transaction] else { continue }
            let change = change(record)
            change.transaction = transaction
            if isChangesOnly {
                change.keepTransaction()
                changes.append(change)
            } else {
                transaction.changes?.append(change)
            }
        }
        return isChangesOnly ? changes : transactions
    }
}

extension HistoryQuery {
    fileprivate init(_ request: NSPersistentHistoryChangeRequest) {
        let fetch = request.fetchRequest?.settings
        let entity = fetch?.entity?.name ?? fetch?.entityName
        let content: Content =
            switch request.resultType {
            case .statusOnly: .nothing
            case .count: .count
            case .objectIDs: .rows
            case .transactionsOnly: .transactions
            case .changesOnly, .transactionsAndChanges: .everything
            }
        self.init(entity?.lowercased().contains("change") == true ? .changes : .transactions, content)
        guard let fetch else { return }
        predicate = fetch.predicate
        sortDescriptors = fetch.sortDescriptors ?? []
        (limit, offset) = (fetch.fetchLimit, fetch.fetchOffset)
    }
}

extension HistoryAnswer {
    /// Sorts the changes by their transactions.
    fileprivate mutating func orderChangesByTransactions() {
        let places = Dictionary(zip(transactions.map(\.number), transactions.indices)) { first, _ in first }
        func place(_ change: HistoryChange) -> (Int, Int64) { (places[change.transaction] ?? 0, change.number) }
        changes.sort { place($0) < place($1) }
    }
}

extension HistoryChangeKind {
    fileprivate var changeType: NSPersistentHistoryChangeType {
        switch self {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        }
    }
}

extension NSPersistentStoreCoordinator {
    final func historyToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let wanted =
            stores.flatMap { $0.isEmpty ? nil : $0.compactMap { $0 as? NSPersistentStore } } ?? persistentStores
        var marks: [String: HistoryMark] = [:]
        do {
            for store in wanted.compactMap(\.rowStore) {
                marks[store.identifier] = try store.session().lastHistoryMark()
            }
        } catch {
            // A token without the store would be one from before the store was added.
            return nil
        }
        return marks.isEmpty ? nil : NSPersistentHistoryToken(marks)
    }
}
