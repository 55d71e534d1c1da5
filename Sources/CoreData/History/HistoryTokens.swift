import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The tokens in a request over history, converted to places in the history of one store.
struct HistoryTokens {
    private let places: HistoryPlaces
    /// The transactions that the history must still contain for a complete answer.
    private(set) var needs: [HistoryQuery.Need] = []

    init(places: HistoryPlaces) { self.places = places }

    /// Checks that an answer is complete.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` if history at a token was deleted, or if a token is of a history that
    ///   the store no longer has.
    static func check(_ answer: HistoryAnswer) throws {
        if let unknown = answer.unknownMarks.first { throw isUnknown(unknown) }
        if let purged = answer.purgedMarks.first {
            throw expired("The history at the token, transaction \(purged.place), was deleted.")
        }
    }

    /// Returns the start of a request.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token of a store that was removed.
    mutating func place(after position: NSPersistentHistoryChangeRequest.Position) throws -> HistoryStart {
        switch position {
        case .start: return .place(.start)
        case .date(let date): return .date(date)
        case .token(let token):
            // The history after a token is complete even if the token's transaction was the last one deleted.
            return .place(try place(token, includesTransaction: false))
        }
    }

    // MARK: Predicates

    /// Returns the predicate with tokens replaced by their places.
    ///
    /// - Throws: The errors of ``place(after:)``.
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

    /// Returns true if an expression is the `token` of a transaction, or of a change's transaction.
    private static func isToken(_ node: ExpressionNode) -> Bool {
        guard case .keyPath(let keys, _) = node else { return false }
        return keys.last == "token"
    }

    private mutating func resolve(_ node: PredicateNode) throws -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            let isAfter = comparison.comparison == .greaterThan && Self.isToken(comparison.left)
            let isBefore = comparison.comparison == .lessThan && Self.isToken(comparison.right)
            comparison.left = try resolve(comparison.left, includesTransaction: !isAfter && !isBefore)
            comparison.right = try resolve(comparison.right, includesTransaction: !isAfter && !isBefore)
            return .comparison(comparison)
        case .and(let nodes): return .and(try nodes.map { try resolve($0) })
        case .or(let nodes): return .or(try nodes.map { try resolve($0) })
        case .not(let node): return .not(try resolve(node))
        case .constant, .opaque: return node
        }
    }

    /// Returns the expression with tokens replaced by their places.
    ///
    /// - Parameter includesTransaction: Whether the tokens' transactions are needed too.
    private mutating func resolve(_ node: ExpressionNode, includesTransaction: Bool) throws -> ExpressionNode {
        switch node {
        case .constant(let token as NSPersistentHistoryToken):
            return .constant(try place(token, includesTransaction: includesTransaction))
        case .constant(let collection as any PredicateCollection):
            return .constant(
                try collection.predicateElements.map { element in
                    guard let token = element as? NSPersistentHistoryToken else { return element }
                    return try place(token, includesTransaction: includesTransaction)
                })
        case .aggregate(let elements):
            return .aggregate(try elements.map { try resolve($0, includesTransaction: includesTransaction) })
        default: return node
        }
    }

    private mutating func place(_ token: NSPersistentHistoryToken, includesTransaction: Bool) throws -> HistoryPlace {
        guard let mark = try places.mark(token.marks), mark.place != .start else { return .start }
        needs.append(HistoryQuery.Need(mark, includesTransaction: includesTransaction))
        return mark.place
    }

    static func isUnknown(_ mark: HistoryMark) -> NSError {
        expired(
            "The store's history does not have the token's transaction \(mark.place): the store was set back to an earlier "
                + "state, as by restoring a backup, after the token was made.")
    }

    fileprivate static func expired(_ reason: String) -> NSError {
        CoreDataError.make(
            NSPersistentHistoryTokenExpiredError, description: "The history token has expired.", reason: reason,
            advice: "Fetch the objects again and continue from currentPersistentHistoryToken(fromStores:).")
    }
}

/// The store with the history to be read.
struct HistoryPlaces {
    let store: String
    /// The identifiers of all stores of the coordinator.
    let stores: [String]

    /// Returns the last transaction of the store before a token; nil for a token from before the store was added.
    ///
    /// - Parameter marks: The marks in the token, by store identifier.
    /// - Throws: `NSPersistentHistoryTokenExpiredError` if the token has no mark of the store, but one of a store that the
    ///   coordinator does not have: the store may have been created from that, and earlier deletions are in no history.
    func mark(_ marks: [String: HistoryMark]) throws -> HistoryMark? {
        if let mark = marks[store] { return mark }
        guard let gone = marks.keys.sorted().first(where: { !stores.contains($0) }) else { return nil }
        throw HistoryTokens.expired(
            "The token is of the store \(gone), which the coordinator does not have, and knows nothing of the store "
                + "\(store). A store that a mapping model or migratePersistentStore has made is not the one it was made of."
        )
    }
}
