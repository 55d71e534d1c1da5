import CoreDataRowStorage
import Foundation

/// A store and the work on its successor, which is made in a folder beside it. The folder has one owner at a time, over all
/// processes; one that a killed process has left is emptied.
package final class StoreSuccession {
    // Goes before the folder does.
    private var hold: (any StoreHolding)?
    private let place: StoreWorkplace

    /// Waits for the folder, if another process works in it, and makes it.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` when it is still in use after the timeout that the options give.
    package init(to store: URL, ofType type: String, options: [AnyHashable: Any]?) throws {
        place = try StoreWorkplace(for: store, type: type, timeout: StoreOptions(options).timeout)
    }

    deinit { hold = nil }

    /// The folder to work in.
    package var folder: URL { place.folder }
    /// Where the successor is to be made.
    package var successor: URL { place.url }

    /// Keeps everyone else from writing to the store until this object is gone.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` when others use the store for longer than the timeout.
    package func holdStore() throws { hold = try place.hold() }

    /// Puts the successor in the store's place.
    package func replaceStore() throws { try place.replaceOriginal(hold) }
}
