import Foundation
import PredicateFormat

/// The predicate of a history request for one store: tokens in it are replaced by the numbers of their transactions.
struct HistoryFilter {
    private let places: HistoryPlaces
    /// The first transaction that was not purged; one beyond the last if all were.
    private let firstKept: Int64

    init(places: HistoryPlaces, firstKept: Int64) {
        self.places = places
        self.firstKept = firstKept
    }

    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token whose transaction was purged, or of a store that is gone.
    func resolve(_ predicate: NSPredicate) throws -> NSPredicate {
        guard Self.namesToken(predicate.node) else { return predicate }
        return NSPredicate(node: try resolve(predicate.node))
    }

    private static func namesToken(_ node: PredicateNode) -> Bool {
        switch node {
        case .comparison(let comparison): isToken(comparison.left) || isToken(comparison.right)
        case .and(let nodes), .or(let nodes): nodes.contains(where: namesToken)
        case .not(let node): namesToken(node)
        case .constant, .opaque: false
        }
    }

    /// Whether an expression is the `token` of a transaction, or of a change's transaction.
    private static func isToken(_ node: ExpressionNode) -> Bool {
        guard case .keyPath(let keys, _) = node else { return false }
        return keys.last == "token"
    }

    private func resolve(_ node: PredicateNode) throws -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            let isAfter = comparison.comparison == .greaterThan && Self.isToken(comparison.left)
            let isBefore = comparison.comparison == .lessThan && Self.isToken(comparison.right)
            // What follows a token is all there even if the token's own transaction was the last to be purged.
            let oldest = isAfter || isBefore ? firstKept - 1 : firstKept
            comparison.left = try resolve(comparison.left, oldest)
            comparison.right = try resolve(comparison.right, oldest)
            return .comparison(comparison)
        case .and(let nodes): return .and(try nodes.map(resolve))
        case .or(let nodes): return .or(try nodes.map(resolve))
        case .not(let node): return .not(try resolve(node))
        case .constant, .opaque: return node
        }
    }

    private func resolve(_ node: ExpressionNode, _ oldest: Int64) throws -> ExpressionNode {
        switch node {
        case .constant(let token as NSPersistentHistoryToken): return .constant(try number(token, oldest))
        case .constant(let collection as any PredicateCollection):
            return .constant(
                try collection.predicateElements.map { element in
                    guard let token = element as? NSPersistentHistoryToken else { return element }
                    return try number(token, oldest)
                })
        case .aggregate(let elements): return .aggregate(try elements.map { try resolve($0, oldest) })
        default: return node
        }
    }

    private func number(_ token: NSPersistentHistoryToken, _ oldest: Int64) throws -> Int64 {
        let number = try places.number(token.transactionNumbers)
        if number > 0, number < oldest { throw Self.expired(number) }
        return number
    }

    static func expired(_ number: Int64) -> NSError {
        expired("The history at the token, transaction \(number), was deleted.")
    }

    fileprivate static func expired(_ reason: String) -> NSError {
        CoreDataError.make(
            NSPersistentHistoryTokenExpiredError, description: "The history token has expired.", reason: reason,
            advice: "Fetch the objects again and continue from currentPersistentHistoryToken(fromStores:).")
    }
}

/// Whose history is read.
struct HistoryPlaces {
    let store: String
    /// The identifiers of all stores of the coordinator.
    let stores: [String]

    /// The last transaction of the store that a token has seen; 0 for a token from before the store was added.
    ///
    /// - Parameter numbers: those in the token, by the stores' identifiers.
    /// - Throws: `NSPersistentHistoryTokenExpiredError` where the token does not know the store, but one that the coordinator
    ///   has not: the store may have been made of it, and what was deleted before is in no history.
    func number(_ numbers: [String: Int64]) throws -> Int64 {
        if let number = numbers[store] { return number }
        guard let gone = numbers.keys.sorted().first(where: { !stores.contains($0) }) else { return 0 }
        throw HistoryFilter.expired(
            "The token is of the store \(gone), which the coordinator does not have, and knows nothing of the store "
                + "\(store). A store that a mapping model or migratePersistentStore has made is not the one it was made of."
        )
    }
}
