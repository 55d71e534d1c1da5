import CoreDataRowStorage
import Foundation
import ModelFormat
import ModelPredicates

extension NSManagedObjectModel: StoredModel {
    /// The metadata that a store contains about its model: all entities, regardless of the store's configuration, as in Apple's
    /// stores.
    package final var versionMetadata: [String: Any] {
        let hashes = entityVersionHashesByName
        return [
            NSStoreModelVersionHashesKey: hashes,
            NSStoreModelVersionIdentifiersKey: versionIdentifiers.map { String(describing: $0) }.sorted(),
            NSPersistentStoreModelVersionChecksumKey: Self.versionChecksum(hashes),
            "NSStoreModelVersionHashesVersion": 3,
            "NSStoreModelVersionHashesDigest": Self.versionHashesDigest(hashes),
        ]
    }

    package final func archive() -> Data? { try? ModelValues.model(self).cacheContent(parser: FormatTextParser()) }

    /// Reads the model saved in a store: the one with which it was last written. A store can thus be inspected without its
    /// model file.
    ///
    /// ```swift
    /// let model = try NSManagedObjectModel(cachedInStoreAt: url)
    /// let container = NSPersistentContainer(name: "Viewer", managedObjectModel: model)
    /// ```
    /// The store may be in use. Its version hashes match the model, so it opens without migration. Classes named in the model
    /// that the program lacks are replaced by `NSManagedObject`. Not part of Apple's API.
    ///
    /// - Throws: `NSMigrationMissingSourceModelError` if the store contains no model, as those from before iOS 9;
    ///   `NSCoreDataError` if the model cannot be read; and errors of opening the file.
    public convenience init(cachedInStoreAt url: URL) throws {
        let options = StoreOptions([NSReadOnlyPersistentStoreOption: true])
        let store = try StoreRegistry.requireClass(forStoreAt: url).find(StorePlace(url, options))
        guard let archive = try store.modelArchive() else {
            throw CoreDataError.make(
                NSMigrationMissingSourceModelError, description: "The store keeps no model of itself.",
                advice: "Open it with its model file.", userInfo: [NSURLErrorKey: url])
        }
        try self.init(archive: archive)
    }

    /// Creates the model from the archive in a store.
    fileprivate convenience init(archive: Data) throws {
        let values: Model
        do {
            values = try Model(cacheContent: archive)
        } catch {
            throw ModelFileError.wrapped(error)
        }
        try self.init(values: values)
    }
}

extension NSPersistentStore {
    /// Finds the store at a location, to inspect or to migrate it. It has no coordinator and closes its file when it is
    /// deallocated.
    ///
    /// - Throws: 260 if there is none; errors of the store.
    final class func find(_ place: StorePlace, configuration: String? = nil) throws -> NSPersistentStore {
        guard isOccupied(place) else {
            throw CoreDataError.make(
                NSFileReadNoSuchFileError, description: "There is no store at \(place.name).",
                userInfo: [NSFilePathErrorKey: place.url.path, NSURLErrorKey: place.url])
        }
        let store = make(
            _StoreSource(coordinator: nil, configuration: configuration, url: place.url, options: place.options))
        try store.reloadMetadata()
        return store
    }

    /// Returns the model saved in the store; nil if there is none that can be read.
    final func storedModel() -> NSManagedObjectModel? {
        (try? modelArchive()).flatMap { try? NSManagedObjectModel(archive: $0) }
    }
}
