/// One open store as the object graph uses it: rows in, rows out, no objects.
///
/// What is asked of it and written to it goes through a ``StoreSession``. Every function may be called from any thread, several
/// at once: reading must not wait for a writer where the back end allows that. Errors are `NSError`s of the Cocoa domain with
/// Core Data's codes.
///
/// `CoreDataContractTests` puts all this, and what the sessions say, to every engine.
package protocol StoreEngine: AnyObject, Sendable {
    /// What it does besides reading and saving rows.
    var abilities: StoreAbilities { get }

    // MARK: Sessions

    /// A session that shows what is committed.
    ///
    /// - Throws: `NSPersistentStoreOperationError` for a store that is not open.
    func session() throws -> any StoreSession
    /// A session whose reads all show the state at its beginning, for as long as it is used; nil where that cannot be, as in
    /// engines without ``StoreAbilities/snapshots``. Several threads may use it, and take turns.
    func snapshot() throws -> (any StoreSession)?
    /// A session that keeps all others from writing, from before its first read until it has saved or ends. The thread that
    /// begins it uses it and ends it.
    ///
    /// The first save or batch inside that succeeds is committed, with all keys set aside until then, and lets others write
    /// again; what is written later is a write as any other. A session inside another one of the thread changes nothing.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` from engines without ``StoreAbilities/exclusiveWrites``; the
    ///   error of a store that another writer has for too long.
    func exclusiveSession() throws -> any StoreSession

    // MARK: Keys

    /// Sets aside permanent keys for new objects of a hierarchy, never to be handed out again: exactly `count`, which is above 0.
    /// They are above 0 and at most ``RowReference/largestKey``. Rows are inserted with them in any order.
    func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns

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
    package static let snapshots = StoreAbilities(rawValue: 4)
    /// Enforces the model's uniqueness constraints.
    package static let uniqueness = StoreAbilities(rawValue: 8)
    /// Computes derived attributes when it writes.
    package static let derivations = StoreAbilities(rawValue: 16)
    /// Keeps others from writing between a read and the save of what follows from it.
    package static let exclusiveWrites = StoreAbilities(rawValue: 32)
    /// Keeps composite attributes.
    package static let composites = StoreAbilities(rawValue: 64)
    /// Keeps large values in files of their own.
    package static let externalFiles = StoreAbilities(rawValue: 128)
    /// Lets several saves run side by side, of one program too.
    package static let severalWriters = StoreAbilities(rawValue: 512)
    /// Tells of writes by others: other processes, and other engines of the same store.
    package static let remoteChanges = StoreAbilities(rawValue: 256)
}

/// For stores that do no more than read and save rows.
extension StoreEngine {
    package var abilities: StoreAbilities { [] }
    package func snapshot() throws -> (any StoreSession)? { nil }
    package func exclusiveSession() throws -> any StoreSession { throw StoreErrors.unsupported("exclusive writes") }

    /// For stores that are not copied.
    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try copy() }
}
