import CoreData

extension MagicalRecord {
    /// Returns the directory of stores given by name: `Application Support/<bundle name>`.
    ///
    /// On tvOS it is `Caches/<bundle name>`, since Application Support is not writable there. The system may delete the
    /// contents of Caches while the program is not running: keep permanent data on a server.
    ///
    /// Off Apple's platforms Application Support is the XDG data directory. The bundle name is `CFBundleName` of the main
    /// bundle; a program without one (a command-line tool or test host) uses the name of its executable, where the original
    /// raised an exception.
    public static func storeDirectory() -> URL {
        let manager = FileManager.default
        let base =
            manager.urls(for: baseDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
        return base.appendingPathComponent(applicationName, isDirectory: true)
    }

    private static var baseDirectory: FileManager.SearchPathDirectory {
        #if os(tvOS)
        .cachesDirectory
        #else
        .applicationSupportDirectory
        #endif
    }

    /// The bundle name, or the name of the executable.
    static var applicationName: String {
        if let name = Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String, !name.isEmpty {
            return name
        }
        return ProcessInfo.processInfo.processName
    }

    /// Returns the name, with `.sqlite` appended if it has no extension.
    static func completedStoreName(_ name: String) -> String {
        (name as NSString).pathExtension.isEmpty ? name + ".sqlite" : name
    }

    /// Creates the directory of a store's file, with its parents.
    static func createDirectory(for url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    /// Deletes a store that is not open; a missing one is not an error.
    static func removeStore(at url: URL, type: String) throws {
        guard !url.isFileURL else { return try removeStoreFiles(at: url) }
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .destroyPersistentStore(at: url, ofType: type)
    }

    /// Removes a store's file together with the files that SQLite and Core Data keep beside it: the write-ahead log, its shared
    /// memory, the rollback journal, and the folder of externally stored data. Missing files are not an error.
    static func removeStoreFiles(at url: URL) throws {
        let manager = FileManager.default
        let directory = url.deletingLastPathComponent()
        let name = url.lastPathComponent
        let support = "." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
        let places =
            ["", "-wal", "-shm", "-journal"].map { directory.appendingPathComponent(name + $0) }
            + [directory.appendingPathComponent(support, isDirectory: true)]
        for place in places where manager.fileExists(atPath: place.path) {
            do {
                try manager.removeItem(at: place)
            } catch {
                throw MagicalRecordError(
                    .storeFile, "The store's file \(place.lastPathComponent) could not be removed.",
                    advice: "Close every stack that uses it, and see that the directory can be written.",
                    underlying: error)
            }
        }
    }
}
