import CoreData

/// The notifications about a store that does not match the model, under the original's names.
enum StoreMismatch {
    static let willDelete = "kMagicalRecordPSCMismatchWillDeleteStore"
    static let didDelete = "kMagicalRecordPSCMismatchDidDeleteStore"
    static let couldNotDelete = "kMagicalRecordPSCMismatchCouldNotDeleteStore"
    static let willRecreate = "kMagicalRecordPSCMismatchWillRecreateStore"
    static let didRecreate = "kMagicalRecordPSCMismatchDidRecreateStore"
    static let couldNotRecreate = "kMagicalRecordPSCMismatchCouldNotRecreateStore"
}

extension MagicalRecord {
    /// Deletes the store at `url` and opens it again with `open`, posting the original's notifications.
    static func recreatingStore(
        at url: URL, type: String, _ open: () throws -> NSPersistentStore
    ) throws -> NSPersistentStore {
        post(StoreMismatch.willDelete)
        do {
            try removeStore(at: url, type: type)
            Log.warn("The store \(url.lastPathComponent) did not fit the model and was removed.")
            post(StoreMismatch.didDelete)
        } catch {
            post(StoreMismatch.couldNotDelete, error)
        }
        post(StoreMismatch.willRecreate)
        do {
            let store = try open()
            post(StoreMismatch.didRecreate)
            return store
        } catch {
            post(StoreMismatch.couldNotRecreate, error)
            throw error
        }
    }

    private static func post(_ name: String, _ error: (any Error)? = nil) {
        NotificationCenter.default.post(
            name: Notification.Name(name), object: nil, userInfo: error.map { ["Error": $0 as NSError] })
    }
}
