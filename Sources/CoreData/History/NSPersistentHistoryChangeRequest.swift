import Foundation

/// What a request for history gives. Raw values are Apple's.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded: `Bool`.
    case statusOnly = 0
    /// The IDs of the changed objects: sets of `NSManagedObjectID` under the keys of a did-save notification
    /// (`NSInsertedObjectIDsKey` and so on).
    case objectIDs = 1
    /// The number of changes: `Int`.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes alone.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// A request to read or purge the history of stores. Execute it with `context.execute(_:)`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Where in history a request begins (reading) or ends (purging).
    enum Position {
        /// The beginning of history.
        case start
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    /// What the request does.
    enum Operation {
        case fetch(after: Position)
        /// Reads what the request's own fetch request selects.
        case fetchMatching
        case delete(before: Position)
    }

    final private(set) var operation = Operation.fetch(after: .start)

    /// What executing the request gives; transactions with changes unless set.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// Selects transactions or changes: a request for the entity of `NSPersistentHistoryTransaction` or of
    /// `NSPersistentHistoryChange`.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    convenience init(_ operation: Operation, fetchRequest: NSFetchRequest<any NSFetchRequestResult>? = nil) {
        self.init()
        self.operation = operation
        self.fetchRequest = fetchRequest
    }

    /// The token the request was made with.
    open var token: NSPersistentHistoryToken? {
        switch operation {
        case .fetch(.token(let token)), .delete(.token(let token)): token
        default: nil
        }
    }

    // MARK: Reading

    /// A request for the transactions later than the date.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: .date(date)))
    }

    /// A request for the transactions after the token; nil means from the beginning.
    ///
    /// Throws `NSPersistentHistoryTokenExpiredError` when executed and the history there has been purged.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: token.map(Position.token) ?? .start))
    }

    /// A request for the transactions after the given one; nil means from the beginning.
    open class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(after: transaction.map { .token($0.token) } ?? .start))
    }

    /// A request for what a fetch over history's own entities selects. Takes a request of any result type.
    ///
    /// The predicate may compare `token` (of changes: `transaction.token`) with tokens, by any operator of equality and
    /// order. Throws `NSPersistentHistoryTokenExpiredError` when executed and the history at such a token was deleted.
    open class func fetchHistory(withFetch fetchRequest: FetchRequestBase) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetchMatching, fetchRequest: fetchRequest.retyped())
    }

    // MARK: Purging

    /// A request to remove the transactions before the date.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(before: .date(date)))
    }

    /// A request to remove the transactions before the token's.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(before: token.map(Position.token) ?? .start))
    }

    /// A request to remove the transactions before the given one.
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

    /// A request for all of history.
    public override init() { super.init() }
}

/// The result of a request for history.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// `Bool`, `Int`, `[NSPersistentHistoryTransaction]`, `[NSPersistentHistoryChange]`, or a dictionary of sets of
    /// object IDs, as `resultType` says.
    open internal(set) var result: Any?
    /// What `result` is.
    open internal(set) var resultType: NSPersistentHistoryResultType = .statusOnly

    convenience init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// A result without content.
    public override init() { super.init() }
}
