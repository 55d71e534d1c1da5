/// One open store as the object graph uses it: rows in, rows out, no objects.
///
/// An engine reads into ``RowSlab``s by the ``EntityLayout`` of each entity and never sees a context. Every function may
/// be called from any thread, several at once: reading must not wait for a writer where the back end allows that.
/// A read sees all of a save or nothing of it. What could not be read is an error, never an empty answer.
///
/// Errors are `NSError`s of the Cocoa domain with Core Data's codes; ``save(_:)`` alone throws ``StoreConflicts`` and
/// ``MissingDestinations``, too. A fetch that means nothing, by its predicate, order or columns, is an `NSCoreDataError`.
///
/// `CoreDataContractTests` puts all this to every engine.
package protocol StoreEngine: AnyObject, Sendable {
    /// What it does besides reading and saving rows.
    var abilities: StoreAbilities { get }

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
    /// hierarchy.
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws
    /// Reads one row as it is now, and not in a transaction that began earlier; a pinned state is kept to.
    func readRowAnew(key: Int64, of layout: EntityLayout, into sink: any RowSink) throws
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

    // MARK: Writing

    /// Sets aside permanent keys for new objects of a hierarchy, never to be handed out again: the first of `count`, which
    /// follow each other. They are above 0 and at most ``RowReference/largestKey``. Rows are inserted with them in any order.
    func reserveKeys(count: Int, of layout: EntityLayout) throws -> Int64

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
    ///   for what cannot be asked.
    func history(_ query: HistoryQuery) throws -> HistoryAnswer
    /// Deletes the transactions before a place; how many changes went. A transaction whose number is the place stays. Throws as
    /// ``history(_:)``.
    func purgeHistory(before place: HistoryPlace) throws -> Int
    /// The last transaction, also if it was deleted; nil where no history is kept.
    func lastHistoryMark() throws -> HistoryMark?

    // MARK: Pinned reads

    /// The present state, kept readable; nil where that cannot be, as in engines without ``StoreAbilities/generations``.
    func pin() throws -> (any PinnedState)?

    // MARK: Copying to another store

    /// Runs `copy` while nothing else is written to the store, and refuses to write from then on if it succeeds: what was saved
    /// before is in the copy, and what is saved later is an error.
    func retiring<Result>(_ copy: () throws -> Result) throws -> Result
}

/// What only some engines do.
package struct StoreAbilities: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Changes many rows without objects.
    package static let batches = StoreAbilities(rawValue: 1)
    /// Keeps a history of what was written, if asked to.
    package static let history = StoreAbilities(rawValue: 2)
    /// Keeps a state readable while others write.
    package static let generations = StoreAbilities(rawValue: 4)
    /// Enforces the model's uniqueness constraints.
    package static let uniqueness = StoreAbilities(rawValue: 8)
    /// Computes derived attributes when it writes.
    package static let derivations = StoreAbilities(rawValue: 16)
}

/// For stores that do no more than read and save rows.
extension StoreEngine {
    package var abilities: StoreAbilities { [] }
    package func run(_ work: BatchWork) throws -> BatchOutcome { throw StoreErrors.unsupported("batch requests") }
    package func history(_ query: HistoryQuery) throws -> HistoryAnswer {
        throw StoreErrors.unsupported("requests for history")
    }
    package func purgeHistory(before place: HistoryPlace) throws -> Int {
        throw StoreErrors.unsupported("requests for history")
    }
    package func lastHistoryMark() throws -> HistoryMark? { nil }
    package func pin() throws -> (any PinnedState)? { nil }

    /// For stores whose reads always show the present state.
    package func readRowAnew(key: Int64, of layout: EntityLayout, into sink: any RowSink) throws {
        try readRows(keys: [key], of: layout, into: sink)
    }

    /// For stores that are not copied.
    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try copy() }
}
