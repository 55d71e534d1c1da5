import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The numbers of Apple's errors, as its documentation and years of bug reports have them.
struct ErrorCodeTests {
    private static let codes: [(CocoaError.Code, Int)] = [
        (.managedObjectValidation, 1550), (.validationMultipleErrors, 1560),
        (.validationMissingMandatoryProperty, 1570),
        (.validationRelationshipLacksMinimumCount, 1580), (.validationRelationshipExceedsMaximumCount, 1590),
        (.validationRelationshipDeniedDelete, 1600), (.validationNumberTooLarge, 1610),
        (.validationNumberTooSmall, 1620),
        (.validationDateTooLate, 1630), (.validationDateTooSoon, 1640), (.validationInvalidDate, 1650),
        (.validationStringTooLong, 1660), (.validationStringTooShort, 1670), (.validationStringPatternMatching, 1680),
        (.managedObjectContextLocking, 132_000), (.persistentStoreCoordinatorLocking, 132_010),
        (.managedObjectReferentialIntegrity, 133_000), (.managedObjectExternalRelationship, 133_010),
        (.managedObjectMerge, 133_020), (.managedObjectConstraintMerge, 133_021),
        (.persistentStoreInvalidType, 134_000),
        (.persistentStoreTypeMismatch, 134_010), (.persistentStoreIncompatibleSchema, 134_020),
        (.persistentStoreSave, 134_030), (.persistentStoreIncompleteSave, 134_040),
        (.persistentStoreSaveConflicts, 134_050), (.coreData, 134_060), (.persistentStoreOperation, 134_070),
        (.persistentStoreOpen, 134_080), (.persistentStoreTimeout, 134_090),
        (.persistentStoreUnsupportedRequestType, 134_091), (.persistentStoreIncompatibleVersionHash, 134_100),
        (.migration, 134_110), (.migrationCancelled, 134_120), (.migrationMissingSourceModel, 134_130),
        (.migrationMissingMappingModel, 134_140), (.migrationManagerSourceStore, 134_150),
        (.migrationManagerDestinationStore, 134_160), (.entityMigrationPolicy, 134_170), (.sqlite, 134_180),
        (.inferredMappingModel, 134_190), (.externalRecordImport, 134_200),
    ]

    @Test(arguments: codes.map { ($0.rawValue, $1) }) func number(_ code: Int, _ expected: Int) {
        #expect(code == expected)
    }

    @Test func theCodesOfCocoaErrorItself() {
        let pairs: [(CocoaError.Code, CocoaError.Code)] = [
            (CocoaError.managedObjectValidation, .managedObjectValidation),
            (CocoaError.validationMultipleErrors, .validationMultipleErrors),
            (CocoaError.validationMissingMandatoryProperty, .validationMissingMandatoryProperty),
            (CocoaError.managedObjectMerge, .managedObjectMerge),
            (CocoaError.persistentStoreIncompatibleVersionHash, .persistentStoreIncompatibleVersionHash),
            (CocoaError.persistentStoreSaveConflicts, .persistentStoreSaveConflicts),
            (CocoaError.migrationMissingMappingModel, .migrationMissingMappingModel), (CocoaError.sqlite, .sqlite),
        ]
        for (one, other) in pairs { #expect(one == other) }
    }

    @Test func aThrownErrorMatches() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            do {
                try context.save()
                Issue.record("An author without a name was saved.")
            } catch CocoaError.validationMissingMandatoryProperty {
                // As applications write it.
            }
            do {
                try context.save()
            } catch let error as CocoaError {
                #expect(error.validationKey == "name")
                #expect(error.validationObject as? NSManagedObject === author)
                #expect(error.validationPredicate == nil)
                #expect(error.persistentStoreSaveConflicts == nil)
                #expect(error.affectedObjects == nil)
                #expect(error.affectedStores == nil)
            }
        }
    }
}
