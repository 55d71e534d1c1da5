import CoreData

/// Posted before a store that does not match the model is deleted.
public let kMagicalRecordPSCMismatchWillDeleteStore = "kMagicalRecordPSCMismatchWillDeleteStore"
/// Posted after it has been deleted.
public let kMagicalRecordPSCMismatchDidDeleteStore = "kMagicalRecordPSCMismatchDidDeleteStore"
/// Posted if it could not be deleted; `userInfo["Error"]` is the error.
public let kMagicalRecordPSCMismatchCouldNotDeleteStore = "kMagicalRecordPSCMismatchCouldNotDeleteStore"
/// Posted before the second attempt to open the store.
public let kMagicalRecordPSCMismatchWillRecreateStore = "kMagicalRecordPSCMismatchWillRecreateStore"
/// Posted if the second attempt succeeded.
public let kMagicalRecordPSCMismatchDidRecreateStore = "kMagicalRecordPSCMismatchDidRecreateStore"
/// Posted if the second attempt failed; `userInfo["Error"]` is the error.
public let kMagicalRecordPSCMismatchCouldNotRecreateStore = "kMagicalRecordPSCMismatchCouldNotRecreateStore"

extension MagicalRecord {
    /// Deletes the store at `url` and opens it again with `open`, posting the original's notifications.
    static func recreatingStore(
        at url: URL, type: String, _ open: () throws -> NSPersistentStore
    ) throws -> NSPersistentStore {
        post(kMagicalRecordPSCMismatchWillDeleteStore)
        do {
            try removeStore(at: url, type: type)
            Log.warn("The store \(url.lastPathComponent) did not fit the model and was removed.")
            post(kMagicalRecordPSCMismatchDidDeleteStore)
        } catch {
            post(kMagicalRecordPSCMismatchCouldNotDeleteStore, error)
        }
        post(kMagicalRecordPSCMismatchWillRecreateStore)
        do {
            let store = try open()
            post(kMagicalRecordPSCMismatchDidRecreateStore)
            return store
        } catch {
            post(kMagicalRecordPSCMismatchCouldNotRecreateStore, error)
            throw error
        }
    }

    private static func post(_ name: String, _ error: (any Error)? = nil) {
        NotificationCenter.default.post(
            name: Notification.Name(name), object: nil, userInfo: error.map { ["Error": $0 as NSError] })
    }
}
