import Foundation

/// The creation of a store's successor, which replaces the store when it is complete: by a migration, or by a copy to a new
/// place.
///
/// There is one at a time for a store, across all processes; creating another waits. A successor that has not replaced the
/// store is deleted with this object; the remains of a killed process are deleted with the next one.
package protocol StoreReplacement: AnyObject {
    /// The URL at which to create the successor.
    var successor: URL { get }

    /// Returns the place for an intermediate store.
    ///
    /// - Parameter number: 1 for the first.
    func place(ofStep number: Int) throws -> URL
    /// Deletes an intermediate store that is no longer needed.
    func removeStep(_ number: Int)

    /// Blocks other writers from now on, as far as stores of this type can. There may be an empty store at ``successor``
    /// afterwards.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if others use the store for longer than the timeout.
    func hold() throws
    /// Replaces the successor with a copy of the store, which may be in use.
    func copyStore() throws
    /// Replaces the held store with the successor, which must no longer change, or moves the successor to a place without a
    /// store. Crash-safe: the place has its former content or the successor.
    ///
    /// - Throws: The store's errors, `NSFileWriteFileExistsError` if a file was created at the place meanwhile; the place is
    ///   then unchanged.
    func swap() throws
}
