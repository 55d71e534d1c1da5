import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The tokens in a request over history, for one store: they become the numbers of their transactions.
struct HistoryTokens {
    private let places: HistoryPlaces
    /// The tokens' transactions, and the first one that must not have been deleted for the answer to be whole.
    private var needs: [(mark: HistoryMark, oldest: Int64)] = []

    init(places: HistoryPlaces) { self.places = places }

    /// The tokens' transactions.
    var marks: [HistoryMark] { needs.map(\.mark) }

    /// - Throws: `NSPersistentHistoryTokenExpiredError` where an answer lacks what was deleted at a token, and where a token is
    ///   of a history that the store no longer has.
    func check(_ answer: HistoryAnswer) throws {
        if let unknown = answer.unknownMarks.first { throw Self.isUnknown(unknown) }
        for need in needs where need.oldest < answer.firstKept {
            throw Self.expired("The history at the token, transaction \(need.mark.number), was deleted.")
        }
    }

    /// Where a request begins.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token of a store that is gone.
    mutating func place(after position: NSPersistentHistoryChangeRequest.Position) throws -> HistoryPlace {
        switch position {
        case .start: return .start
        case .date(let date): return .date(date)
        case .token(let token):
            // What follows a token is all there even if the token's own transaction was the last to be deleted.
            return .transaction(try number(token, 1))
        }
    }

    // MARK: Predicates

    /// The predicate with the tokens' numbers in it.
    ///
    /// - Throws: As ``place(after:)``.
    mutating func resolve(_ predicate: NSPredicate) throws -> NSPredicate {
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

    private mutating func resolve(_ node: PredicateNode) throws -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            let isAfter = comparison.comparison == .greaterThan && Self.isToken(comparison.left)
            let isBefore = comparison.comparison == .lessThan && Self.isToken(comparison.right)
            let distance: Int64 = isAfter || isBefore ? 1 : 0
            comparison.left = try resolve(comparison.left, distance)
            comparison.right = try resolve(comparison.right, distance)
            return .comparison(comparison)
        case .and(let nodes): return .and(try nodes.map { try resolve($0) })
        case .or(let nodes): return .or(try nodes.map { try resolve($0) })
        case .not(let node): return .not(try resolve(node))
        case .constant, .opaque: return node
        }
    }

    /// - Parameter distance: how many transactions behind a token's own one the first lies that is needed.
    private mutating func resolve(_ node: ExpressionNode, _ distance: Int64) throws -> ExpressionNode {
        switch node {
        case .constant(let token as NSPersistentHistoryToken): return .constant(try number(token, distance))
        case .constant(let collection as any PredicateCollection):
            return .constant(
                try collection.predicateElements.map { element in
                    guard let token = element as? NSPersistentHistoryToken else { return element }
                    return try number(token, distance)
                })
        case .aggregate(let elements): return .aggregate(try elements.map { try resolve($0, distance) })
        default: return node
        }
    }

    private mutating func number(_ token: NSPersistentHistoryToken, _ distance: Int64) throws -> Int64 {
        guard let mark = try places.mark(token.marks), mark.number > 0 else { return 0 }
        needs.append((mark, mark.number + distance))
        return mark.number
    }

    static func isUnknown(_ mark: HistoryMark) -> NSError {
        expired(
            "The store's history does not have the token's transaction \(mark.number): the store was set back to an earlier "
                + "state, as by restoring a backup, after the token was made.")
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

    /// The last transaction of the store that a token has seen; nil for a token from before the store was added.
    ///
    /// - Parameter marks: those in the token, by the stores' identifiers.
    /// - Throws: `NSPersistentHistoryTokenExpiredError` where the token does not know the store, but one that the coordinator
    ///   has not: the store may have been made of it, and what was deleted before is in no history.
    func mark(_ marks: [String: HistoryMark]) throws -> HistoryMark? {
        if let mark = marks[store] { return mark }
        guard let gone = marks.keys.sorted().first(where: { !stores.contains($0) }) else { return nil }
        throw HistoryTokens.expired(
            "The token is of the store \(gone), which the coordinator does not have, and knows nothing of the store "
                + "\(store). A store that a mapping model or migratePersistentStore has made is not the one it was made of."
        )
    }
}
