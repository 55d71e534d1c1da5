import CoreDataRowStorage
import Foundation

// The error codes of Core Data in `NSCocoaErrorDomain`, under Apple's global names and with Apple's values.

/// A value failed validation for a reason without a more specific code.
public let NSManagedObjectValidationError = CoreDataRowStorage.NSManagedObjectValidationError
/// A uniqueness constraint is violated (validation form).
public let NSManagedObjectConstraintValidationError = 1551
/// Several failures; see `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A required value is nil.
public let NSValidationMissingMandatoryPropertyError = CoreDataRowStorage.NSValidationMissingMandatoryPropertyError
/// A to-many relationship has too few objects.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A to-many relationship has too many objects.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the deny rule is not empty.
public let NSValidationRelationshipDeniedDeleteError = CoreDataRowStorage.NSValidationRelationshipDeniedDeleteError
/// A number exceeds its maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is below its minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is after the latest allowed one.
public let NSValidationDateTooLateError = 1630
/// A date is before the earliest allowed one.
public let NSValidationDateTooSoonError = 1640
/// A date is not valid.
public let NSValidationInvalidDateError = 1650
/// A string is longer than allowed.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than required.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URL is not valid.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132_000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132_010
/// The row of an object ID does not exist.
public let NSManagedObjectReferentialIntegrityError = CoreDataRowStorage.NSManagedObjectReferentialIntegrityError
/// A relationship refers to an object of another store.
public let NSManagedObjectExternalRelationshipError = 133_010
/// A merge policy left optimistic-locking conflicts unresolved.
public let NSManagedObjectMergeError = 133_020
/// A merge policy left constraint conflicts unresolved.
public let NSManagedObjectConstraintMergeError = CoreDataRowStorage.NSManagedObjectConstraintMergeError
/// The store type or file format is unknown.
public let NSPersistentStoreInvalidTypeError = 134_000
/// The file is a store of another type.
public let NSPersistentStoreTypeMismatchError = 134_010
/// The store cannot represent the model.
public let NSPersistentStoreIncompatibleSchemaError = CoreDataRowStorage.NSPersistentStoreIncompatibleSchemaError
/// A store failed to save.
public let NSPersistentStoreSaveError = CoreDataRowStorage.NSPersistentStoreSaveError
/// Some stores failed to save.
public let NSPersistentStoreIncompleteSaveError = 134_040
/// A conflict inside the store was not resolved.
public let NSPersistentStoreSaveConflictsError = 134_050
/// A general error of the framework.
public let NSCoreDataError = CoreDataRowStorage.NSCoreDataError
/// A store operation failed.
public let NSPersistentStoreOperationError = CoreDataRowStorage.NSPersistentStoreOperationError
/// A store could not be opened.
public let NSPersistentStoreOpenError = CoreDataRowStorage.NSPersistentStoreOpenError
/// A store operation exceeded its timeout.
public let NSPersistentStoreTimeoutError = CoreDataRowStorage.NSPersistentStoreTimeoutError
/// The store does not support requests of this kind.
public let NSPersistentStoreUnsupportedRequestTypeError = CoreDataRowStorage
    .NSPersistentStoreUnsupportedRequestTypeError
/// The store was written with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = CoreDataRowStorage
    .NSPersistentStoreIncompatibleVersionHashError
/// A general migration error.
public let NSMigrationError = CoreDataRowStorage.NSMigrationError
/// Rows violate a uniqueness constraint that a migration adds.
public let NSMigrationConstraintViolationError = CoreDataRowStorage.NSMigrationConstraintViolationError
/// The migration was cancelled.
public let NSMigrationCancelledError = 134_120
/// No model matches the store that is to be migrated.
public let NSMigrationMissingSourceModelError = CoreDataRowStorage.NSMigrationMissingSourceModelError
/// No mapping model maps the store's model to the current one.
public let NSMigrationMissingMappingModelError = 134_140
/// The source store of a migration could not be used.
public let NSMigrationManagerSourceStoreError = CoreDataRowStorage.NSMigrationManagerSourceStoreError
/// The destination store of a migration could not be used.
public let NSMigrationManagerDestinationStoreError = 134_160
/// An entity migration policy failed.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite reported an error; its code is under `NSSQLiteErrorDomain`.
public let NSSQLiteError = CoreDataRowStorage.NSSQLiteError
/// No mapping model could be inferred.
public let NSInferredMappingModelError = 134_190
/// External records could not be imported.
public let NSExternalRecordImportError = 134_200
/// A history token refers to purged history.
public let NSPersistentHistoryTokenExpiredError = 134_301
/// A model reference of a staged migration could not be resolved.
public let NSManagedObjectModelReferenceNotFoundError = 134_504
/// A staged migration requires another framework version.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505
/// A staged migration would lead to an older model.
public let NSStagedMigrationBackwardMigrationError = 134_506
