import CoreData

extension MagicalRecord {
    /// Returns the directory of stores given by name: `Application Support/<bundle name>`, in the XDG data directory off
    /// Apple's platforms.
    ///
    /// On tvOS it is `Caches/<bundle name>`, since Application Support is not writable there. The system may delete the
    /// contents of Caches while the program is not running: keep permanent data on a server.
    ///
    /// The bundle name is `CFBundleName` of the main bundle; a program without one (a command-line tool or test host) uses the
    /// name of its executable, where the original raised an exception.
    public static func storeDirectory() -> URL {
        #if os(tvOS)
        let base = FileManager.SearchPathDirectory.cachesDirectory
        #else
        let base = FileManager.SearchPathDirectory.applicationSupportDirectory
        #endif
        return
            (FileManager.default.urls(for: base, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent(applicationName, isDirectory: true)
    }

    /// The bundle name, or the name of the executable.
    static var applicationName: String {
        let name = Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String ?? ""
        return name.isEmpty ? ProcessInfo.processInfo.processName : name
    }

    /// Creates the directory of a store's file, with its parents.
    static func createDirectory(for url: URL) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    /// Deletes a store that is not open; a missing one is not an error.
    static func removeStore(at url: URL, type: String) throws {
        guard !url.isFileURL else { return try removeStoreFiles(at: url) }
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .destroyPersistentStore(at: url, ofType: type)
    }

    /// Deletes the store at `url` and opens it again with `open`, posting the original's notifications.
    static func recreatingStore(
        at url: URL, type: String, _ open: () throws -> NSPersistentStore
    ) throws -> NSPersistentStore {
        post(kMagicalRecordPSCMismatchWillDeleteStore)
        do {
            try removeStore(at: url, type: type)
            Log.warn("The store \(url.lastPathComponent) did not fit the model and was removed.")
            post(kMagicalRecordPSCMismatchDidDeleteStore)
        } catch { post(kMagicalRecordPSCMismatchCouldNotDeleteStore, error) }
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

    /// Removes a store's file together with the files that SQLite and Core Data keep beside it: the write-ahead log, its shared
    /// memory, the rollback journal, and the folder of externally stored data. Missing files are not an error.
    private static func removeStoreFiles(at url: URL) throws {
        let names =
            ["", "-wal", "-shm", "-journal"].map { url.lastPathComponent + $0 }
            + [".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"]
        for place in names.map(url.deletingLastPathComponent().appendingPathComponent)
        where FileManager.default.fileExists(atPath: place.path) {
            do { try FileManager.default.removeItem(at: place) } catch {
                throw MagicalRecordError(
                    .storeFile, "The store's file \(place.lastPathComponent) could not be removed.",
                    advice: "Close every stack that uses it, and see that the directory can be written.",
                    underlying: error)
            }
        }
    }
}
