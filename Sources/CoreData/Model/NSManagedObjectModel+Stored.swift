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
        guard let archive = try StoreRegistry.requireClass(forStoreAt: url).modelArchive(at: StorePlace(url)) else {
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
    /// Reads the model that the store at a place keeps of itself; nil where it keeps none that can be read.
    final class func storedModel(at place: StorePlace) -> NSManagedObjectModel? {
        (try? modelArchive(at: place)).flatMap { try? NSManagedObjectModel(archive: $0) }
    }
}
