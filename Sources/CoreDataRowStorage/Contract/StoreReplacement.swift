import Foundation

/// The making of a store's successor, which takes the store's place when it is complete: a migration, or a copy to a new place.
///
/// One at a time is under way for a store, over all processes; making another waits. What was made and not put in place goes
/// with the object, and what a process that was killed has left goes with the next one.
package protocol StoreReplacement: AnyObject {
    /// Where the successor is to be made.
    var successor: URL { get }

    /// Makes a place for a store between the present one and the successor.
    ///
    /// - Parameter number: 1 for the first.
    func place(ofStep number: Int) throws -> URL
    /// Deletes the store of a step that is not needed further.
    func removeStep(_ number: Int)

    /// Keeps others from changing the store from now on, as far as stores of its kind can. There may be an empty store at
    /// ``successor`` afterwards.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` when others use the store for longer than the timeout.
    func hold() throws
    /// Makes the successor a copy of the store, which may be in use.
    func copyStore() throws
    /// Puts the successor, which no longer changes, in the place of the store that is held, or where there is none yet. Killed
    /// at any moment, there is what was before or the successor.
    ///
    /// - Throws: The store's errors, `NSFileWriteFileExistsError` if a file has come to the place meanwhile; the place is then
    ///   as it was.
    func swap() throws
}
