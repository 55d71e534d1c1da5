/// A unit of work with a store: the questions that are asked of it, and what is written.
///
/// A ``StoreEngine`` makes them. One thread at a time uses a session, unless it is a snapshot.
///
/// A read sees all of a save or nothing of it. What could not be read is an error, never an empty answer. Errors are `NSError`s of
/// the Cocoa domain with Core Data's codes; ``save(_:)`` alone throws ``StoreConflicts`` and ``MissingDestinations``, too. A
/// fetch that means nothing, by its predicate, order or columns, is an `NSCoreDataError`.
package protocol StoreSession: AnyObject, Sendable {
    // MARK: Reading

    // Rows are in the order of the fetch's sort descriptors, nil before every value. Those that these leave equal, and all
    // without any, come in an order of the engine's, which is the same as long as nothing is written: pages of a fetch have
    // no row twice and none is missing. Whether `!=` and `NOT` hold for a row without a value is the engine's own.
    //
    // Fetches end early, with the error of their ``FetchInterruption``, if they have one. Reads end when the sink says so.

    /// Reads every matching row, in order, into the sink.
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws
    /// The identities of every matching row, in order.
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference>
    /// How many rows match, limit and offset applied.
    func countRows(_ fetch: StoreFetch) throws -> Int
    /// Rows as dictionaries of the fetch's columns, grouped if asked; absent values are left out.
    ///
    /// - Parameter object: What stands for a row among the values.
    func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]]

    /// Reads the rows with these keys that exist, each once and in any order, into the sink. `layout` is any entity of their
    /// hierarchy. No key is given twice, here and for members.
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws
    /// The rows a to-many relationship of one object leads to; in stored order if it is ordered.
    func readToMany(_ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64) throws
        -> ContiguousArray<RowReference>
    /// Reads what a to-many relationship of many objects leads to with one pass.
    ///
    /// `group` is called once with each object's key, in any order of the objects, before that object's related rows go to the
    /// sink, in stored order if the relationship is ordered. Objects without related rows may be left out, and so are keys
    /// that no object has. A row that several objects lead to comes with each of them.
    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws

    // MARK: States

    // Fetches, counts, dictionaries and history show what anybody has committed when they are asked. Rows that are asked for by
    // key, and members of relationships, may come from the state of an earlier read, up to the next `renew()`, `rest()`, fetch or
    // write of the session and the next commit of this process: reading many of them one by one costs less then. Snapshots
    // show one state throughout.

    /// Has the reads to come show what anybody has committed until now.
    func renew()
    /// Gives back what reads have kept for those to follow, such as a transaction that others may wait for. It is called where
    /// a stretch of work ends; the session can be used further.
    func rest()
    /// Ends the session; what is asked of it later is an error.
    ///
    /// - Throws: The error of an exclusive session whose keys could not be committed, or whose store was removed meanwhile.
    func end() throws

    // MARK: Writing

    /// Writes everything in one transaction or nothing at all.
    ///
    /// A row that is deleted leaves the relationships of those that stay: many-to-many ones and those without a way back, and
    /// to-ones whose inverse has a rule for it, which advances the versions of their rows.
    ///
    /// - Throws: ``StoreConflicts`` when rows were changed or removed by another writer or uniqueness constraints are hit, all
    ///   of them at once. If there are none, ``MissingDestinations`` when the save leads relationships to rows that are not
    ///   there, all of them at once: those it gives changed or new cells and adds to relationships, not those that it leaves
    ///   as they are. `NSManagedObjectReferentialIntegrityError` for a temporary key that is none of the save's, and another
    ///   `NSError` for anything else. The store is then as it was.
    func save(_ changes: StoreChanges) throws -> SavedKeys

    /// Changes many rows in one transaction, or none.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/batches``.
    func run(_ work: BatchWork) throws -> BatchOutcome

    // MARK: History

    /// Answers a question about what was written.
    ///
    /// - Throws: `NSPersistentStoreOperationError` where none is kept, and
    ///   `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/history``; `NSCoreDataError`
    ///   for what cannot be asked, as about a place of another engine's that is not among the needs.
    func history(_ query: HistoryQuery) throws -> HistoryAnswer
    /// Deletes transactions; how many changes went. Throws as ``history(_:)``.
    func purgeHistory(before limit: HistoryLimit) throws -> Int
    /// Tells of the last transaction in the order of commits, also if it was deleted; the start without a time before the first
    /// one; nil where no history is kept.
    func lastHistoryMark() throws -> HistoryMark?
}

/// For stores that do no more than read and save rows.
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
}
