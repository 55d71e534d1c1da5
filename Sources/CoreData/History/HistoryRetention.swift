import CoreDataRowStorage
import Foundation

/// The readers of a store's history, and its purge: transactions that a registered reader has not read are kept.
///
/// ```swift
/// let retention = HistoryRetention(of: store)
/// let token = try retention.register("search index")   // where it left off, also after a crash
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
/// // … index the changes …
/// try retention.advance("search index", to: last.token)
/// try retention.purge(before: Date(timeIntervalSinceNow: -7 * 86_400))
/// ```
///
/// Readers are registered in the store, by name, and so for all programs. Deletions by
/// `NSPersistentHistoryChangeRequest.deleteHistory(before:)` keep what they have not read, too. Not part of Apple's framework.
/// May be used on any thread; each function asks the store.
public struct HistoryRetention: Sendable {
    private let store: NSPersistentStore

    /// A registered reader.
    public struct Reader: Sendable {
        /// The name under which it is registered.
        public let name: String
        /// The position up to which it has read; nil before it has read anything.
        public let token: NSPersistentHistoryToken?
        /// When it was registered or advanced last. One that has stopped for good keeps all history since, and should be
        /// removed.
        public let advanced: Date
    }

    /// Creates a view of the readers of a store that was added with `NSPersistentHistoryTrackingKey`.
    public init(of store: NSPersistentStore) { self.store = store }

    /// The registered readers, by name.
    public var readers: [Reader] {
        get throws {
            let identifier: String = store.identifier
            return try rows().session().historyReaders().map { reader in
                let mark = HistoryMark(place: reader.place, timestamp: nil)
                let token = reader.place == .start ? nil : NSPersistentHistoryToken([identifier: mark])
                return Reader(name: reader.name, token: token, advanced: reader.advanced)
            }
        }
    }

    /// Registers a reader, or finds the one of this name, and returns the position up to which it has read; nil for one that
    /// has read nothing.
    ///
    /// - Parameters:
    ///   - name: The name of the reader, the same each time that it runs.
    ///   - token: Where a new reader begins: with all the history that there is, unless given.
    /// - Throws: `NSPersistentHistoryTokenExpiredError` if history after the token was deleted; the reader is then not
    ///   registered. `NSPersistentStoreOperationError` for a store that keeps no history.
    @discardableResult
    public func register(
        _ name: String, at token: NSPersistentHistoryToken? = nil
    ) throws -> NSPersistentHistoryToken? {
        let isNew = try !readers.contains { $0.name == name }
        let mark = try mark(token)
        try rows().session().changeHistoryReaders(.register(name, at: mark?.place ?? .start))
        do {
            // Nothing that it has not read is deleted from now on.
            try requireComplete(after: mark)
        } catch {
            if isNew { try remove(name) }
            throw error
        }
        return try readers.first { $0.name == name }?.token
    }

    /// Notes how far a reader has read; it is registered if it is new. An earlier position than its own changes nothing.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` for a token that the history does not have.
    public func advance(_ name: String, to token: NSPersistentHistoryToken) throws {
        guard let mark = try mark(token) else { return }
        var query = HistoryQuery(.transactions, .nothing)
        query.needs = [HistoryQuery.Need(mark, includesTransaction: false)]
        let session = try rows().session()
        if let unknown = try session.history(query).unknownMarks.first { throw HistoryTokens.isUnknown(unknown) }
        try session.changeHistoryReaders(.advance(name, to: mark.place))
    }

    /// Removes a reader; does nothing if there is none of this name.
    public func remove(_ name: String) throws { try rows().session().changeHistoryReaders(.remove(name)) }

    /// Deletes the history before a date that all registered readers have read, and returns the number of deleted changes.
    @discardableResult
    public func purge(before date: Date = .distantFuture) throws -> Int {
        let rows = try rows()
        guard !rows.isReadOnly else { throw StoreErrors.readOnly(rows) }
        return try rows.session().purgeHistory(before: .date(date))
    }

    /// The seconds since the oldest transaction was written that is committed and not reported to readers yet; nil if there is
    /// none.
    ///
    /// A PostgreSQL store reports a transaction once no other can still precede it. An age of more than seconds means that a
    /// transaction was left open in the database server: `pg_stat_activity` shows it.
    public var unreportedAge: TimeInterval? { get throws { try rows().session().unreportedHistoryAge() } }

    // MARK: Parts

    private func rows() throws -> any RowStore {
        if let rows = store.rowStore { return rows }
        throw CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError, description: "The store keeps no history.",
            reason: "Stores of the type \(store.type) cannot.", advice: "Use a SQLite or PostgreSQL store.")
    }

    private func mark(_ token: NSPersistentHistoryToken?) throws -> HistoryMark? {
        guard let token else { return nil }
        let identifier: String = store.identifier
        let stores = store.persistentStoreCoordinator?.persistentStores ?? []
        return try HistoryPlaces(store: identifier, stores: stores.map(\.identifier)).mark(token.marks)
    }

    private func requireComplete(after mark: HistoryMark?) throws {
        guard let mark, mark.place != .start else { return }
        var query = HistoryQuery(.transactions, .nothing)
        query.needs = [HistoryQuery.Need(mark, includesTransaction: false)]
        try HistoryTokens.check(try rows().session().history(query))
    }
}
