/// One open store as the object graph uses it: it reads and writes rows, not objects.
///
/// Reads and writes go through a ``StoreSession``. Every function may be called from any thread, concurrently: reads must not
/// wait for a writer if the back end can avoid it. Errors are `NSError`s of the Cocoa domain with Core Data's codes.
///
/// `CoreDataContractTests` tests this contract, and that of sessions, for every engine.
package protocol StoreEngine: AnyObject, Sendable {
    /// The optional features of the engine.
    var abilities: StoreAbilities { get }

    /// The turns of asynchronous blocks that use the store, taken before a block is added to its context's queue; nil if any
    /// number may run at once. Engines that wait for connections have them, so that few threads are blocked.
    var taskTurns: TaskTurns? { get }

    // MARK: Sessions

    /// Creates a session that shows the latest commit.
    ///
    /// - Throws: `NSPersistentStoreOperationError` for a store that is not open.
    func session() throws -> any StoreSession
    /// Creates a session that shows the current state in all its reads; returns nil if that is impossible, as in engines
    /// without ``StoreAbilities/snapshots``. Several threads may use it; their reads are serialized.
    func snapshot() throws -> (any StoreSession)?
    /// Creates a session that blocks all other writers, from before its first read until it has saved or ends. It must be
    /// used and ended on the thread that begins it.
    ///
    /// The first save or batch that succeeds is committed, with all keys reserved until then, and admits other writers again;
    /// later writes of the session are ordinary writes. A nested session of the same thread changes nothing.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/exclusiveWrites``; a
    ///   timeout error if another writer holds the store for too long.
    func exclusiveSession() throws -> any StoreSession

    // MARK: Keys

    /// Reserves exactly `count` permanent keys, `count` being greater than 0, for new objects of a hierarchy; they are never
    /// allocated again. Keys are greater than 0 and at most ``RowReference/largestKey``. Rows are inserted with them in any
    /// order.
    func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns

    // MARK: Copying to another store

    /// Runs `copy` while nothing else is written to the store, and refuses later writes if it succeeds: the copy contains all
    /// saves until then, and later saves throw.
    func retiring<Result>(_ copy: () throws -> Result) throws -> Result
}

/// The optional features of engines.
package struct StoreAbilities: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Batch changes of rows without objects.
    package static let batches = StoreAbilities(rawValue: 1)
    /// Persistent history, if requested.
    package static let history = StoreAbilities(rawValue: 2)
    /// Reads of one state while others write.
    package static let snapshots = StoreAbilities(rawValue: 4)
    /// The model's uniqueness constraints.
    package static let uniqueness = StoreAbilities(rawValue: 8)
    /// Derived attributes, computed with each write.
    package static let derivations = StoreAbilities(rawValue: 16)
    /// Exclusion of other writers between a read and the save that depends on it.
    package static let exclusiveWrites = StoreAbilities(rawValue: 32)
    /// Composite attributes.
    package static let composites = StoreAbilities(rawValue: 64)
    /// Storage of large values in external files.
    package static let externalFiles = StoreAbilities(rawValue: 128)
    /// Concurrent saves, including those of one program.
    package static let severalWriters = StoreAbilities(rawValue: 512)
    /// Dates as whole microseconds: the graph rounds dates, by ``MicrosecondDate``, before it saves them, except those of
    /// columns that keep every bit: see ``EntityLayout/roundedDates``.
    package static let microsecondDates = StoreAbilities(rawValue: 1024)
    /// Notification of writes by other processes, and by other engines of the same store.
    package static let remoteChanges = StoreAbilities(rawValue: 256)
    /// Use of a store by programs with former versions of its model, where its metadata say that they may: see
    /// ``OlderPrograms``.
    package static let olderPrograms = StoreAbilities(rawValue: 2048)
}

/// Defaults for engines without optional features.
extension StoreEngine {
    package var abilities: StoreAbilities { [] }
    package var taskTurns: TaskTurns? { nil }
    package func snapshot() throws -> (any StoreSession)? { nil }
    package func exclusiveSession() throws -> any StoreSession { throw StoreErrors.unsupported("exclusive writes") }

    /// Runs `copy`. A default for stores that are not copied.
    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try copy() }
}
