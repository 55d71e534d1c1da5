import CoreDataRowStorage
import Foundation

// Names of store types, options and metadata keys, with Apple's values.

// MARK: Store types

/// A single SQLite database file: the default.
public let NSSQLiteStoreType = CoreDataRowStorage.NSSQLiteStoreType
/// A store without a file, discarded with its coordinator.
public let NSInMemoryStoreType = "InMemory"
/// A file read and written as a whole, in binary form.
public let NSBinaryStoreType = "Binary"
/// A file read and written as a whole, as XML.
public let NSXMLStoreType = "XML"
/// The tables of one model in a PostgreSQL database, at a URL of the scheme `postgresql` or `postgres`. Not part of Apple's API.
///
/// Needs a build with the package's trait `PostgreSQL`; without it, adding such a store fails with an error that says so.
public let CoreDataPostgreSQLStoreType = "PostgreSQL"

// MARK: Options

/// Bool (false): migrate a store of another model version when it is added.
public let NSMigratePersistentStoresAutomaticallyOption =
    CoreDataRowStorage.NSMigratePersistentStoresAutomaticallyOption
/// Bool (false): infer a mapping model if none is found.
public let NSInferMappingModelAutomaticallyOption = CoreDataRowStorage.NSInferMappingModelAutomaticallyOption
/// Bool (false): migrate a store of a later version of the model back to the program's version when it is added, by an inferred
/// mapping, which drops everything that the later version added. Not part of Apple's API.
///
/// Has an effect together with the two options above. Without it, adding such a store fails with error 134130.
public let NSMigratePersistentStoresBackwardOption = "MagicalRecordMigratePersistentStoresBackwardOption"
/// Bool (false): open the store read-only.
public let NSReadOnlyPersistentStoreOption = CoreDataRowStorage.NSReadOnlyPersistentStoreOption
/// `[String: String]`: SQLite pragmas and their values, for example `journal_mode`.
public let NSSQLitePragmasOption = CoreDataRowStorage.NSSQLitePragmasOption
/// Bool (false): record persistent history.
public let NSPersistentHistoryTrackingKey = CoreDataRowStorage.NSPersistentHistoryTrackingKey
/// `String`: what orders the transactions in the history of a PostgreSQL store, when the history is begun: "commits", the
/// database's transaction IDs, or "counter", a row that every save advances, for databases of PostgreSQL's kind without such
/// IDs. Not one of Apple's options. By default, "commits" where the database has them.
public let NSPersistentHistoryOrderKey = CoreDataRowStorage.NSPersistentHistoryOrderKey
/// Bool (false): post `NSPersistentStoreRemoteChange` for every write, including those of other processes.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    CoreDataRowStorage.NSPersistentStoreRemoteChangeNotificationPostOptionKey
/// Double (1): the seconds between questions for changes by others, of a PostgreSQL store that posts
/// `NSPersistentStoreRemoteChange`. Not one of Apple's options.
public let NSPersistentStoreRemoteChangeIntervalKey = CoreDataRowStorage.NSPersistentStoreRemoteChangeIntervalKey
/// `URL` or `String`: a connection to the server of a PostgreSQL store, not through a pooler, over which the server announces
/// commits (`LISTEN`). Stores with this option announce their own, and post `NSPersistentStoreRemoteChange` within milliseconds
/// after those of others. Announced commits take turns in the server. Not one of Apple's options.
public let NSPersistentStoreRemoteChangeConnectionKey = CoreDataRowStorage.NSPersistentStoreRemoteChangeConnectionKey
/// Double: the number of seconds to wait for a busy store.
public let NSPersistentStoreTimeoutOption = CoreDataRowStorage.NSPersistentStoreTimeoutOption
/// Bool: skip the comparison of version hashes.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Bool: run `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = CoreDataRowStorage.NSSQLiteAnalyzeOption
/// Bool: run `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = CoreDataRowStorage.NSSQLiteManualVacuumOption
/// Bool: destroy or replace a store even if it is in use.
public let NSPersistentStoreForceDestroyOption = CoreDataRowStorage.NSPersistentStoreForceDestroyOption
/// Bool: defer the rewriting of tables in lightweight migrations. No effect off Apple's platforms.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// `NSStagedMigrationManager`: the stages of a migration.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Int: the maximum number of connections for reading.
public let NSPersistentStoreConnectionPoolMaxSizeKey = CoreDataRowStorage.NSPersistentStoreConnectionPoolMaxSizeKey
/// Classes that may be decoded from a binary store.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Bool: decode binary stores without restricting the classes.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Bool: validate an XML store when it is read.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The file protection class; accepted and ignored off Apple's platforms.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

// MARK: Metadata

/// `String`: the type of the store.
public let NSStoreTypeKey = CoreDataRowStorage.NSStoreTypeKey
/// `String`: the identifier of the store, the host part of its object IDs' URIs.
public let NSStoreUUIDKey = CoreDataRowStorage.NSStoreUUIDKey
/// `[String: Data]`: the version hash of each entity.
public let NSStoreModelVersionHashesKey = CoreDataRowStorage.NSStoreModelVersionHashesKey
/// `[String]`: the version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = CoreDataRowStorage.NSStoreModelVersionIdentifiersKey
/// `String`: the checksum of the model.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// `String`: the earliest system that can open the store; not used off Apple's platforms.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
