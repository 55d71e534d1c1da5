import CoreDataRowStorage
import Foundation
import ModelFormat
import ModelPredicates

extension NSManagedObjectModel: StoredModel {
    /// What a store's metadata says about the model it is of: all entities, whatever configuration the store has, as
    /// Apple's stores do.
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

    /// The model that a store keeps of itself: the one it was last written with, so that a store can be looked into
    /// without its model file.
    ///
    /// ```swift
    /// let model = try NSManagedObjectModel(cachedInStoreAt: url)
    /// let container = NSPersistentContainer(name: "Viewer", managedObjectModel: model)
    /// ```
    /// The store may be in use. Its version hashes fit the model, so it opens without migration. Classes named in the model
    /// that the program lacks are replaced by `NSManagedObject`. Not part of Apple's interface.
    ///
    /// - Throws: `NSMigrationMissingSourceModelError` when the store keeps no model, as those from before iOS 9 do;
    ///   `NSCoreDataError` when the model cannot be read; and what opening the file throws.
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

    /// Makes the model that a store keeps of itself.
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
    /// Finds the store at a place, to look into it or to migrate it. It belongs to no coordinator, and is closed when it goes.
    ///
    /// - Throws: 260 where there is none; the store's errors.
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

    /// Reads the model that the store keeps of itself; nil where it keeps none that can be read.
    final func storedModel() -> NSManagedObjectModel? {
        (try? modelArchive()).flatMap { try? NSManagedObjectModel(archive: $0) }
    }
}
