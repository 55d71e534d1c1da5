import CoreData
import Foundation
import Testing

@Suite("Errors")
struct ErrorTests {
    @Test(
        "Codes have Apple's values under both names",
        arguments: [
            (NSManagedObjectValidationError, 1550, CocoaError.Code.managedObjectValidation),
            (NSValidationMultipleErrorsError, 1560, .validationMultipleErrors),
            (NSValidationMissingMandatoryPropertyError, 1570, .validationMissingMandatoryProperty),
            (NSValidationRelationshipDeniedDeleteError, 1600, .validationRelationshipDeniedDelete),
            (NSManagedObjectMergeError, 133020, .managedObjectMerge),
            (NSManagedObjectConstraintMergeError, 133021, .managedObjectConstraintMerge),
            (NSCoreDataError, 134060, .coreData), (NSPersistentStoreOpenError, 134080, .persistentStoreOpen),
            (NSPersistentStoreIncompatibleVersionHashError, 134100, .persistentStoreIncompatibleVersionHash),
            (NSMigrationMissingMappingModelError, 134140, .migrationMissingMappingModel),
            (NSSQLiteError, 134180, .sqlite),
        ])
    func codes(constant: Int, value: Int, code: CocoaError.Code) {
        #expect(constant == value)
        #expect(code.rawValue == value)
    }

    @Test("Errors are caught as CocoaError and carry their details")
    func details() throws {
        let object = NSObject()
        let thrown = NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMissingMandatoryPropertyError,
            userInfo: [
                NSValidationKeyErrorKey: "name", NSValidationObjectErrorKey: object, NSValidationValueErrorKey: 5,
                NSAffectedObjectsErrorKey: [object],
            ])
        do {
            throw thrown
        } catch CocoaError.validationMissingMandatoryProperty {
            let error = try #require(thrown as Error as? CocoaError)
            #expect(error.validationKey == "name")
            #expect(error.validationObject as? NSObject === object)
            #expect(error.validationValue as? Int == 5)
            #expect(error.affectedObjects?.count == 1)
            #expect(error.persistentStoreSaveConflicts == nil)
        }
    }
}
