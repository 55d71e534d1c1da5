import Foundation

// Notifications that a coordinator posts and the keys of their `userInfo`, with Apple's values.

extension NSNotification.Name {
    /// A store is about to be added or removed.
    public static let NSPersistentStoreCoordinatorStoresWillChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// A store was added, removed or moved.
    public static let NSPersistentStoreCoordinatorStoresDidChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// A store is being removed.
    public static let NSPersistentStoreCoordinatorWillRemoveStore =
        NSNotification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// A store was written, by this process or another. Posted on an arbitrary queue.
    public static let NSPersistentStoreRemoteChange =
        NSNotification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// `[NSPersistentStore]`: stores that were added.
public let NSAddedPersistentStoresKey = "added"
/// `[NSPersistentStore]`: stores that were removed.
public let NSRemovedPersistentStoresKey = "removed"
/// `[old, new]`: the store before and after its identifier changed.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"
/// `URL` of the store in a remote-change notification.
public let NSPersistentStoreURLKey = "storeURL"
/// `NSPersistentHistoryToken` in a remote-change notification.
public let NSPersistentHistoryTokenKey = "historyToken"
