import CoreDataRowStorage
import Foundation

// Keys of `userInfo` in Core Data's errors, under Apple's names and with Apple's values.

/// `[NSError]`: the individual errors behind `NSValidationMultipleErrorsError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// `String`: the name of the property that failed validation.
public let NSValidationKeyErrorKey = CoreDataRowStorage.NSValidationKeyErrorKey
/// The predicate that failed, or its text.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation.
public let NSValidationValueErrorKey = CoreDataRowStorage.NSValidationValueErrorKey
/// `[NSPersistentStore]`: the stores an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects an error concerns.
public let NSAffectedObjectsErrorKey = CoreDataRowStorage.NSAffectedObjectsErrorKey
/// `[NSMergeConflict]` or `[NSConstraintConflict]`: the conflicts that made a save fail.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's result codes; also the user info key for the code in an `NSSQLiteError`.
public let NSSQLiteErrorDomain = CoreDataRowStorage.NSSQLiteErrorDomain
