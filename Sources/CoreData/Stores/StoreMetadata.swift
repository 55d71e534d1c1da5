import CoreDataRowStorage
import Foundation

/// Rules for store metadata.
enum StoreMetadata {
    /// The metadata keys that the framework writes. Their entries are kept when a program replaces the metadata.
    static let ownKeys: Set<String> = [
        NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
        NSPersistentStoreModelVersionChecksumKey, NSPersistentStoreOSCompatibility,
        "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionHashesDigest", "_NSAutoVacuumLevel",
        FormerVersions.key, OlderPrograms.key, OlderPrograms.obstacleKey,
    ]

    /// Returns whether metadata is what destroying a store leaves.
    static func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool {
        guard metadata[NSStoreUUIDKey] != nil, let type = metadata[NSStoreTypeKey] as? String else { return false }
        return StoreRegistry.storeClass(for: type)?.areOfDestroyedStore(metadata) == true
    }
}
