import CoreData

#if canImport(Darwin)
/// A folder beside a store in which one process at a time creates the migrated store. A folder left behind by a killed process
/// is emptied by the next attempt.
final class MigrationPlace {
    private let store: URL
    private let type: String
    private let descriptor: Int32
    private let folder: URL
    private var stamp: [String]?

    /// The URL at which the migrated store is created.
    var successor: URL { folder.appendingPathComponent(store.lastPathComponent) }

    /// Creates a folder for the store of an intermediate step, from 1, and returns the store's URL.
    func place(ofStep number: Int) throws -> URL {
        let place = folder.appendingPathComponent("\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place.appendingPathComponent(store.lastPathComponent)
    }

    /// Deletes the store of a completed intermediate step.
    func removeStep(_ number: Int) {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("\(number)"))
    }

    init(beside store: URL, ofType type: String) throws {
        (self.store, self.type) = (store, type)
        folder = store.deletingLastPathComponent().appendingPathComponent(".\(store.lastPathComponent).migrating")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { _ = close(descriptor) }
            throw MagicalRecordError(
                .storeFile, "Another process is migrating \(store.lastPathComponent).",
                advice: "Try again when it has finished.")
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        _ = close(descriptor)
    }

    /// Remembers the state of the store's files. Apple's Core Data offers no lock that lasts until the store is replaced, so
    /// ``swap()`` detects writes by others afterwards.
    func hold() throws { stamp = currentStamp() }

    /// Replaces the store with the migrated one.
    ///
    /// - Throws: ``MagicalRecordError/Code/storeFile`` if the store has been written to since ``hold()``.
    func swap() throws {
        guard stamp == currentStamp() else {
            throw MagicalRecordError(
                .storeFile, "\(store.lastPathComponent) was written to while it was being migrated; that was kept.",
                advice: "Migrate it while nobody else uses it.")
        }
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).replacePersistentStore(
            at: store, withPersistentStoreFrom: successor, ofType: type)
    }

    /// Returns the modification dates and sizes of the store's files.
    private func currentStamp() -> [String] {
        ["", "-wal"].map { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + suffix)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            return "\(size) \(date)"
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Begins the migration of a store in a folder beside it.
    static func replacement(ofStoreAt url: URL, type: String, options: [String: Any]) throws -> MigrationPlace {
        try MigrationPlace(beside: url, ofType: type)
    }

    /// Returns the store type for a URL: Apple's stores are files.
    static func type(ofStoreAt url: URL) -> String { NSSQLiteStoreType }

    static func isStoreThere(at url: URL, type: String, options: [String: Any]) -> Bool {
        FileManager.default.fileExists(atPath: url.path)
    }

    /// Returns whether metadata belong to a destroyed store: those of a destroyed SQLite store contain no version.
    static func areOfDestroyedStore(_ metadata: [String: Any], type: String) -> Bool {
        type == NSSQLiteStoreType && metadata[NSStoreModelVersionHashesKey] == nil
            && metadata[NSStoreModelVersionIdentifiersKey] == nil
    }
}
#endif
