import CoreData

#if canImport(Darwin)
/// A folder beside a store, in which one process at a time makes the store's successor. One that a killed process has left is
/// emptied by the next attempt.
final class MigrationPlace {
    private let store: URL
    private let type: String
    private let descriptor: Int32
    private var stamp: [String]?

    private let folder: URL
    /// Where the successor is to be made.
    var successor: URL { folder.appendingPathComponent(store.lastPathComponent) }

    /// Makes a place for a store between the present one and the successor; 1 is the first.
    func place(ofStep number: Int) throws -> URL {
        let place = folder.appendingPathComponent("\(number)").appendingPathComponent(store.lastPathComponent)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        return place
    }

    /// Deletes the store of a step that is not needed further.
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

    /// Core Data offers no lock that lasts until the store is replaced: what others write is noticed afterwards.
    func hold() throws { stamp = currentStamp() }

    /// Puts the successor in the store's place.
    ///
    /// - Throws: ``MagicalRecordError/Code/storeFile`` when the store has been written to since ``hold()``.
    func swap() throws {
        guard stamp == currentStamp() else {
            throw MagicalRecordError(
                .storeFile, "\(store.lastPathComponent) was written to while it was being migrated; that was kept.",
                advice: "Migrate it while nobody else uses it.")
        }
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).replacePersistentStore(
            at: store, withPersistentStoreFrom: successor, ofType: type)
    }

    /// When the store's files were changed last, and their sizes.
    private func currentStamp() -> [String] {
        ["", "-wal"].map { (suffix: String) -> String in
            let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + suffix)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            return "\(size) \(date)"
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Begins to make the successor of a store, in a folder beside it.
    static func replacement(ofStoreAt url: URL, type: String, options: [String: Any]) throws -> MigrationPlace {
        try MigrationPlace(beside: url, ofType: type)
    }

    /// The type of the store at a URL, as its scheme names it: Apple's stores are files.
    static func type(ofStoreAt url: URL) -> String { NSSQLiteStoreType }

    static func isStoreThere(at url: URL, type: String, options: [String: Any]) -> Bool {
        FileManager.default.fileExists(atPath: url.path)
    }

    /// Tells whether metadata are those that destroying a store leaves: a SQLite store's name no version then.
    static func areOfDestroyedStore(_ metadata: [String: Any], type: String) -> Bool {
        type == NSSQLiteStoreType && metadata[NSStoreModelVersionHashesKey] == nil
            && metadata[NSStoreModelVersionIdentifiersKey] == nil
    }
}
#endif
