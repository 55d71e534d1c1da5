import CoreDataRowStorage
import Foundation

// Names of store types, options, metadata and notifications of the coordinator, with Apple's values.

// MARK: Store types

/// One SQLite database file: the default.
public let NSSQLiteStoreType = CoreDataRowStorage.NSSQLiteStoreType
/// A store without a file, gone when its coordinator goes.
public let NSInMemoryStoreType = "InMemory"
/// A file read and written as a whole, in binary form.
public let NSBinaryStoreType = "Binary"
/// A file read and written as a whole, as XML.
public let NSXMLStoreType = "XML"

// MARK: Options

/// Bool (false): migrate a store of another model version when it is added.
public let NSMigratePersistentStoresAutomaticallyOption =
    CoreDataRowStorage.NSMigratePersistentStoresAutomaticallyOption
/// Bool (false): infer a mapping model where none is found.
public let NSInferMappingModelAutomaticallyOption = CoreDataRowStorage.NSInferMappingModelAutomaticallyOption
/// Bool (false): migrate a store of a later version of the model back to the program's when it is added, by an inferred mapping,
/// which drops what the later version added. Not part of Apple's interface.
///
/// Counts beside the two options above. Without it such a store is refused with error 134130.
public let NSMigratePersistentStoresBackwardOption = "MagicalRecordMigratePersistentStoresBackwardOption"
/// Bool (false): open for reading only.
public let NSReadOnlyPersistentStoreOption = CoreDataRowStorage.NSReadOnlyPersistentStoreOption
/// `[String: String]`: SQLite pragmas and their values, e.g. `journal_mode`.
public let NSSQLitePragmasOption = CoreDataRowStorage.NSSQLitePragmasOption
/// Bool (false): record persistent history.
public let NSPersistentHistoryTrackingKey = CoreDataRowStorage.NSPersistentHistoryTrackingKey
/// Bool (false): post `NSPersistentStoreRemoteChange` for every write, other processes' included.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Seconds to wait for a busy store.
public let NSPersistentStoreTimeoutOption = CoreDataRowStorage.NSPersistentStoreTimeoutOption
/// Bool: skip the comparison of version hashes.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Bool: run `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = CoreDataRowStorage.NSSQLiteAnalyzeOption
/// Bool: run `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = CoreDataRowStorage.NSSQLiteManualVacuumOption
/// Bool: destroy or replace a store even when it is in use.
public let NSPersistentStoreForceDestroyOption = CoreDataRowStorage.NSPersistentStoreForceDestroyOption
/// Bool: postpone the rewriting of tables in lightweight migrations.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// `NSStagedMigrationManager`: stages of a migration.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Int: number of connections for reading.
public let NSPersistentStoreConnectionPoolMaxSizeKey = CoreDataRowStorage.NSPersistentStoreConnectionPoolMaxSizeKey
/// Classes that may be decoded from a binary store.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Bool: decode binary stores without restriction of classes.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Bool: validate an XML store when it is read.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// File protection class; accepted and ignored off Apple.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

// MARK: Metadata

/// `String`: type of the store.
public let NSStoreTypeKey = CoreDataRowStorage.NSStoreTypeKey
/// `String`: identifier of the store, the host part of its object IDs' URIs.
public let NSStoreUUIDKey = CoreDataRowStorage.NSStoreUUIDKey
/// `[String: Data]`: version hash of each entity.
public let NSStoreModelVersionHashesKey = CoreDataRowStorage.NSStoreModelVersionHashesKey
/// `[String]`: version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = CoreDataRowStorage.NSStoreModelVersionIdentifiersKey
/// `String`: checksum of the model.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// `String`: earliest system that opens the store; not used off Apple.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
