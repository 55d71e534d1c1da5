import CoreDataRowStorage
import Foundation

// Keys of `userInfo` in Core Data's errors, under Apple's names and with Apple's values.

/// `[NSError]`: the single failures behind `NSValidationMultipleErrorsError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// `String`: name of the property that failed validation.
public let NSValidationKeyErrorKey = CoreDataRowStorage.NSValidationKeyErrorKey
/// The predicate (or its text) that failed.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation.
public let NSValidationValueErrorKey = CoreDataRowStorage.NSValidationValueErrorKey
/// `[NSPersistentStore]`: the stores an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects an error concerns.
public let NSAffectedObjectsErrorKey = CoreDataRowStorage.NSAffectedObjectsErrorKey
/// `[NSMergeConflict]` or `[NSConstraintConflict]`: conflicts that stopped a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// Domain of SQLite's own result codes; also the key under which an `NSSQLiteError` carries the code.
public let NSSQLiteErrorDomain = CoreDataRowStorage.NSSQLiteErrorDomain
