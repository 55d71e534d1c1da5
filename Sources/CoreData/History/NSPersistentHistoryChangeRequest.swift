import Foundation

/// The kind of result of a history request. Raw values are Apple's.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// The success of the request: a `Bool`.
    case statusOnly = 0
    /// The IDs of the changed objects: sets of `NSManagedObjectID` under the keys of a did-save notification
    /// (`NSInsertedObjectIDsKey` and so on).
    case objectIDs = 1
    /// The number of changes: `Int`.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes only.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// A request to read or purge the history of stores. Execute it with `context.execute(_:)`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// The place in history at which a request begins (reading) or ends (purging).
    enum Position {
        /// The beginning of history.
        case start
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    /// The operation of a request.
    enum Operation {
        case fetch(after: Position)
        /// Reads the transactions or changes selected by ``fetchRequest``.
        case fetchMatching
        case delete(before: Position)
    }

    final private(set) var operation = Operation.fetch(after: .start)

    /// The kind of result; transactions with changes by default.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// The fetch request that selects transactions or changes: its entity is that of `NSPersistentHistoryTransaction` or of
    /// `NSPersistentHistoryChange`.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    convenience init(_ operation: Operation, fetchRequest: NSFetchRequest<any NSFetchRequestResult>? = nil) {
        self.init()
        self.operation = operation
        self.fetchRequest = fetchRequest
    }

    /// The token that the request was created with.
    open var token: NSPersistentHistoryToken? {
        switch operation {
        case .fetch(.token(let token)), .delete(.token(let token)): token
        default: nil
        }
    }

    // MARK: Reading

    /// Returns a request for the transactions after a date.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: .date(date)))
    }

    /// Returns a request for the transactions after a token; all transactions if the token is nil.
    ///
    /// Executing the request throws `NSPersistentHistoryTokenExpiredError` if the history at the token was purged.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: token.map(Position.token) ?? .start))
    }

    /// Returns a request for the transactions after another one; all transactions if that is nil.
    open class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: transaction.map { .token($0.token) } ?? .start))
    }

    /// Returns a request for the transactions or changes selected by a fetch request with any result type.
    ///
    /// The predicate may compare `token` (of changes: `transaction.token`) with tokens, by any equality or ordering operator.
    /// Executing the request throws `NSPersistentHistoryTokenExpiredError` if the history at such a token was purged.
    open class func fetchHistory(withFetch fetchRequest: FetchRequestBase) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetchMatching, fetchRequest: fetchRequest.retyped())
    }

    // MARK: Purging

    /// Returns a request to purge the transactions before a date.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(before: .date(date)))
    }

    /// Returns a request to purge the transactions before a token's.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(before: token.map(Position.token) ?? .start))
    }

    /// Returns a request to purge the transactions before another one.
    open class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(before: transaction.map { .token($0.token) } ?? .start))
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSPersistentHistoryChangeRequest(operation) }

    override func assign(from other: NSPersistentStoreRequest) {
        super.assign(from: other)
        guard let other = other as? NSPersistentHistoryChangeRequest else { return }
        resultType = other.resultType
        fetchRequest = other.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    }

    /// Creates a request for the whole history.
    public override init() { super.init() }
}

/// The result of a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// The result: a `Bool`, `Int`, `[NSPersistentHistoryTransaction]`, `[NSPersistentHistoryChange]`, or a dictionary of sets
    /// of object IDs, depending on `resultType`.
    open internal(set) var result: Any?
    /// The kind of `result`.
    open internal(set) var resultType: NSPersistentHistoryResultType = .statusOnly

    convenience init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// Creates an empty result.
    public override init() { super.init() }
}
