import Foundation
import PredicateFormat

/// The predicate of a history request for one store: tokens in it are replaced by the numbers of their transactions.
struct HistoryFilter {
    private let storeID: String
    /// The first transaction that was not purged; one beyond the last if all were.
    private let firstKept: Int64

    init(storeID: String, firstKept: Int64) {
        self.storeID = storeID
        self.firstKept = firstKept
    }

    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token whose transaction was purged.
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

    /// The number of the token's transaction in this store; 0 for a token that knows nothing of it.
    private func number(_ token: NSPersistentHistoryToken, _ oldest: Int64) throws -> Int64 {
        let number = token.transactionNumbers[storeID] ?? 0
        if number > 0, number < oldest { throw Self.expired(number) }
        return number
    }

    static func expired(_ number: Int64) -> NSError {
        CoreDataError.make(
            NSPersistentHistoryTokenExpiredError, description: "The history token has expired.",
            reason: "The history at the token, transaction \(number), was deleted.",
            advice: "Fetch the objects again and continue from currentPersistentHistoryToken(fromStores:).")
    }
}
