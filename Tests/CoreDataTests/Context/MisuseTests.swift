import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Mistakes in a program that end it, where Apple's framework raises an exception that Swift cannot catch. The wording is
/// Apple's.
@Suite("Misuse of contexts and objects ends the program")
struct MisuseTests {
    enum Mistake: String, CaseIterable, Codable {
        case insertForeign, deleteForeign, reassign, coordinatorAndParent, secondParent, parentAndCoordinator
        case parentWithoutQueue, insertAbstract, unknownEntity, entityWithoutModel
        case inaccessibleFault, setFetchedProperty, mergePolicy, wrongDestination, undefinedKey

        var message: String {
            switch self {
            case .insertForeign: "may only be in (or observed by) a single NSManagedObjectContext"
            case .deleteForeign: "cannot delete objects in other contexts"
            case .reassign: "Can't reassign an object to a different store once it has been saved"
            case .coordinatorAndParent: "Context already has a coordinator; cannot replace"
            case .secondParent: "Context already has a parent; cannot replace"
            case .parentAndCoordinator: "Context already has a parent; cannot set a coordinator as well"
            case .parentWithoutQueue: "Parent NSManagedObjectContext must use either"
            case .insertAbstract: "abstract entity"
            case .unknownEntity: "could not locate an entity named 'Pamphlet' in this model"
            case .entityWithoutModel: "belongs to no model"
            case .inaccessibleFault: "CoreData could not fulfill a fault for"
            case .setFetchedProperty: "The fetched property \"all\" of Book cannot be set"
            case .mergePolicy: "must be an NSMergePolicy"
            case .wrongDestination: "Unacceptable type of value for to-one relationship: property = \"author\""
            case .undefinedKey: "is not key value coding-compliant for the key \"nonsense\""
            }
        }

        func make() throws {
            let model = LibraryModel.make()
            let all = NSFetchedPropertyDescription()
            all.name = "all"
            all.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            model.entitiesByName["Book"]?.properties.append(all)
            let abstract = LibraryModel.entity("Work")
            abstract.isAbstract = true
            model.entities.append(abstract)
            let library = try Library(model, store: .sqlite)
            let context = library.context
            let book = context.insert("Book")
            try context.save()
            switch self {
            case .insertForeign: library.makeContext().insert(book)
            case .deleteForeign: library.makeContext().delete(book)
            case .reassign:
                context.assign(book, to: try addStore(library.coordinator))
            case .coordinatorAndParent:
                context.parent = library.makeContext()
            case .secondParent: library.makeChild().parent = library.makeContext()
            case .parentAndCoordinator: library.makeChild().persistentStoreCoordinator = library.coordinator
            case .parentWithoutQueue:
                library.makeChild().parent = NSManagedObjectContext(
                    concurrencyType: .init(rawValue: 0)!)
            case .insertAbstract: context.insert("Work")
            case .unknownEntity: context.insert("Pamphlet")
            case .entityWithoutModel: _ = NSManagedObject(entity: LibraryModel.entity("Loose"), insertInto: context)
            case .inaccessibleFault:
                let other = library.makeContext()
                other.shouldDeleteInaccessibleFaults = false
                let fault = other.performAndWait { other.object(with: book.objectID) }
                context.delete(book)
                try context.save()
                _ = other.performAndWait { fault.value(forKey: "title") as? String }
            case .setFetchedProperty: book.setValue([book], forKey: "all")
            case .mergePolicy: context.mergePolicy = "overwrite"
            case .wrongDestination: book.setValue(context.insert("Tag"), forKey: "author")
            case .undefinedKey: book.setValue(1, forKey: "nonsense")
            }
        }

        private func addStore(_ coordinator: NSPersistentStoreCoordinator) throws -> NSPersistentStore {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("Misuse-\(UUID().uuidString)")
            return try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: url)
        }
    }

    @Test(arguments: Mistake.allCases) func endsTheProgram(_ mistake: Mistake) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
            try mistake.make()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(mistake.message), "\(text.prefix(300))")
    }

    /// What a context does about a fault whose row is gone may be decided by the context's class.
    @Test func inaccessibleFaultsMayBeHandled() throws {
        final class Forgiving: NSManagedObjectContext, @unchecked Sendable {
            nonisolated(unsafe) var seen: [NSManagedObjectID] = []
            override func shouldHandleInaccessibleFault(
                _ fault: NSManagedObject, for oid: NSManagedObjectID,
                triggeredByProperty property: NSPropertyDescription?
            ) -> Bool {
                seen.append(oid)
                return true
            }
        }
        let library = try Library(store: .sqlite)
        let book = library.context.insert("Book", ["title": "Emma"])
        try library.context.save()
        let other = Forgiving(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = library.coordinator
        other.shouldDeleteInaccessibleFaults = false
        let fault = other.performAndWait { other.object(with: book.objectID) }
        let id = book.objectID
        library.context.delete(book)
        try library.context.save()
        other.performAndWait {
            #expect(fault.value(forKey: "title") == nil && fault.isDeleted)
            #expect(other.seen == [id])
        }
    }

    @Test func namesAndNumbersAreApples() {
        typealias Key = NSManagedObjectContext.NotificationKey
        let keys: [(Key, String)] = [
            (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
            (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
            (.invalidatedObjects, NSInvalidatedObjectsKey), (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
            (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
        ]
        for (key, name) in keys { #expect(key.rawValue == name) }
        let policies = [
            NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
            NSOverwriteMergePolicy, NSRollbackMergePolicy,
        ]
        #expect(policies.map { ($0 as? NSMergePolicy)?.mergeType } == ConflictTests.policies)
        #expect(ConflictTests.policies.map(\.rawValue) == [0, 1, 2, 3, 4])
        let events: [NSSnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
        let rules: [NSDeleteRule] = [.noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule]
        #expect(rules.map(\.rawValue) == [0, 1, 2, 3])
        #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
        #expect(NSManagedObjectContext.ConcurrencyType.mainQueue.rawValue == .mainQueueConcurrencyType)
    }
}
