/// A unit of work with a store: reads and writes.
///
/// Created by a ``StoreEngine``. Used by one thread at a time, unless it is a snapshot.
///
/// A read sees all of a save or none of it. A failed read throws, and never returns an empty answer. Errors are `NSError`s of
/// the Cocoa domain with Core Data's codes; only ``save(_:)`` also throws ``StoreConflicts`` and ``MissingDestinations``. A
/// fetch with an invalid predicate, order or column throws an `NSCoreDataError`.
package protocol StoreSession: AnyObject, Sendable {
    // MARK: Reading

    // Rows are in the order of the fetch's sort descriptors, nil before every value. Ties, and all rows of an unsorted fetch,
    // are in an order that the engine chooses and keeps until the next write: the pages of a fetch contain every row exactly
    // once. Whether `!=` and `NOT` match a row without a value depends on the engine.
    //
    // Fetches end early with the error of their ``FetchInterruption``, if they have one. Reads end if the sink stops them.

    /// Reads every matching row, in order, into the sink.
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws
    /// Returns the references of all matching rows, in order.
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference>
    /// Returns the number of matching rows, after limit and offset.
    func countRows(_ fetch: StoreFetch) throws -> Int
    /// Returns rows as dictionaries of the fetch's columns, grouped if requested; nil values are omitted.
    ///
    /// - Parameter object: Creates the object that represents a row among the values.
    func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]]

    /// Reads the existing rows with these keys, each once and in any order, into the sink. `layout` is any entity of their
    /// hierarchy. Here and for members, keys must be unique.
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws
    /// Returns the members of one object's to-many relationship; in stored order if the relationship is ordered.
    func readToMany(_ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64) throws
        -> ContiguousArray<RowReference>
    /// Reads the members of many objects' to-many relationship in one pass.
    ///
    /// Calls `group` once with each object's key, in any order of the objects, before that object's members are delivered to
    /// the sink, in stored order if the relationship is ordered. Objects without members may be omitted, and so are keys
    /// without an object. A row that is a member of several objects is delivered for each of them.
    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws

    // MARK: States

    // Fetches, counts, dictionaries and history show the latest commit. Rows read by key, and members of relationships, may
    // be read from the state of an earlier read, up to the session's next `renew()`, `rest()`, fetch or write, and the next
    // commit of this process: that makes reading many of them one by one cheaper. Snapshots show one state throughout.

    /// Makes later reads show the latest commit.
    func renew()
    /// Releases state kept between reads, such as a transaction that others may wait for. Called when a unit of work ends;
    /// the session remains usable.
    func rest()
    /// Ends the session; later calls throw.
    ///
    /// - Throws: The error of an exclusive session if its keys could not be committed, or its store was removed meanwhile.
    func end() throws

    // MARK: Writing

    /// Writes all changes in one transaction, or none.
    ///
    /// A deleted row is removed from the relationships of the remaining rows: from many-to-many relationships and those
    /// without an inverse, and from to-one relationships with an inverse that has a delete rule, which advances the versions
    /// of their rows.
    ///
    /// - Throws: ``StoreConflicts`` with all rows that another writer has changed or deleted, and all violated uniqueness
    ///   constraints. Without conflicts, ``MissingDestinations`` with all destinations that do not exist, of relationships
    ///   that the save changes, not of those it leaves unchanged. `NSManagedObjectReferentialIntegrityError` for a temporary
    ///   key that is not part of the save, and another `NSError` for anything else. The store is then unchanged.
    func save(_ changes: StoreChanges) throws -> SavedKeys

    /// Changes many rows in one transaction, or none.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/batches``.
    func run(_ work: BatchWork) throws -> BatchOutcome

    // MARK: History

    /// Answers a query on persistent history.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if the store keeps no history, and
    ///   `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/history``; `NSCoreDataError`
    ///   for an invalid query, such as one for another engine's position that is not among the needs.
    func history(_ query: HistoryQuery) throws -> HistoryAnswer
    /// Deletes transactions and returns the number of deleted changes; those that a registered reader has not read stay.
    /// Throws like ``history(_:)``.
    func purgeHistory(before limit: HistoryLimit) throws -> Int
    /// Returns the mark of the last transaction in the order of commits, even if it was deleted; the start without a time if
    /// there is none; nil if the store keeps no history.
    func lastHistoryMark() throws -> HistoryMark?

    /// Returns the registered readers, by name. Throws like ``history(_:)``.
    func historyReaders() throws -> [HistoryReader]
    /// Changes the registered readers. Throws like ``history(_:)``.
    func changeHistoryReaders(_ change: HistoryReaderChange) throws
    /// Returns the seconds since the oldest transaction was written that is committed and not reported yet, because another
    /// may still precede it; nil if there is none.
    func unreportedHistoryAge() throws -> Double?
}

/// Defaults for sessions without optional features.
extension StoreSession {
    package func renew() {}
    package func rest() {}
    package func end() throws {}
    package func run(_ work: BatchWork) throws -> BatchOutcome { throw StoreErrors.unsupported("batch requests") }
    package func history(_ query: HistoryQuery) throws -> HistoryAnswer {
        throw StoreErrors.unsupported("requests for history")
    }
    package func purgeHistory(before limit: HistoryLimit) throws -> Int {
        throw StoreErrors.unsupported("requests for history")
    }
    package func lastHistoryMark() throws -> HistoryMark? { nil }
    package func historyReaders() throws -> [HistoryReader] { throw StoreErrors.unsupported("requests for history") }
    package func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        throw StoreErrors.unsupported("requests for history")
    }
    package func unreportedHistoryAge() throws -> Double? { nil }
}
