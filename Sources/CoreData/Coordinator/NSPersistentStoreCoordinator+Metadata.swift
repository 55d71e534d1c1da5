import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

extension NSPersistentStoreCoordinator {

    final func replaceMetadata(of store: NSPersistentStore, by metadata: [String: Any]?) {
        var kept: [String: Any] = store.metadata
        kept = kept.filter { StoreMetadata.ownKeys.contains($0.key) }
        kept.merge(metadata ?? [:]) { _, new in new }
        kept[NSStoreTypeKey] = store.type
        kept[NSStoreUUIDKey] = store.identifier
        store.metadata = kept
    }

    static func readMetadata(
        ofType storeType: String, at url: URL, options: StoreOptions
    ) throws -> [String: Any] {
        let storeClass = try StoreRegistry.requireClass(for: storeType)
        if url.isFileURL, !StoreFiles.exists(url) {
            throw CoreDataError.make(
                NSFileReadNoSuchFileError, description: "There is no store at \(url.path).",
                userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url])
        }
        return try storeClass.readMetadata(at: StorePlace(url, options))
    }

    /// Reads the metadata of a store that need not be open; see ``metadataForPersistentStore(ofType:at:options:)``.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// Reads the metadata of a store by trying every registered type. Deprecated by Apple.
    ///
    /// - Throws: `NSPersistentStoreInvalidTypeError` if no registered store class can read the file.
    public class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        // A type of another scheme would take the path of the URL for that of a file.
        for type in StoreRegistry.types(acceptingSchemeOf: url) {
            if let found = try? metadataForPersistentStore(ofType: type, at: url) { return found }
        }
        throw CoreDataError.make(
            NSPersistentStoreInvalidTypeError, description: "The file at \(url.path) is no store.",
            reason: "None of the registered store types can read it.", userInfo: [NSURLErrorKey: url])
    }

    /// Writes the metadata of a store that is not open; see ``setMetadata(_:forPersistentStoreOfType:at:options:)``.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }

    // MARK: Store classes

    static func register(_ storeClass: AnyClass?, _ storeType: String) {
        guard let storeClass else { return StoreRegistry.register(nil, for: storeType) }
        guard let usable = storeClass as? NSPersistentStore.Type else {
            fatalError(
                "\(storeClass) cannot be registered for \"\(storeType)\": it is no subclass of NSPersistentStore.")
        }
        StoreRegistry.register(usable, for: storeType)
    }

    /// Registers a class for a store type, or unregisters the type if the class is nil; see
    /// ``registerStoreClass(_:forStoreType:)``.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }
}
