import MagicalRecord
import Testing

@Suite struct CreatingTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try AddressBook.stack()
        context = stack.newContext()
    }

    @Test func createdObjectsAreUnsaved() throws {
        let user = try User.create(in: context) { $0.displayName = "Ann" }
        context.runAndWait {
            #expect(user.isInserted)
            #expect(user.objectID.isTemporaryID)
            #expect(context.insertedObjects == [user])
        }
    }

    @Test func anErrorWhileConfiguringTakesTheObjectBack() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try User.create(in: context) { _ in throw Refusal() } }
        #expect(context.runAndWait { context.insertedObjects.isEmpty })
    }

    @Test func theClassMustBeTheEntitys() throws {
        let error = #expect(throws: MagicalRecordError.self) { try Stranger.create(in: context) }
        #expect(error?.code == .classMismatch)
        context.runAndWait {
            context.processPendingChanges()
            #expect(!context.hasChanges)
        }
    }

    @Test func aClassWithoutEntity() throws {
        let error = #expect(throws: MagicalRecordError.self) { try Unmodelled.create(in: context) }
        #expect(error?.code == .unknownEntity)
        #expect(error?.entity == "Unmodelled")
        #expect(error?.advice?.contains("User") == true)
    }

    @Test func findFirstOrCreate() throws {
        try context.runAndWait {
            let first = try User.findFirstOrCreate(where: \.userID, equals: 7, in: context)
            #expect(first.userID == 7)
            let second = try User.findFirstOrCreate(where: \.userID, equals: 7, in: context)
            #expect(first === second)
            try User.upsert(where: \.userID, equals: 7, in: context) { $0.displayName = "Ann" }
            #expect(first.displayName == "Ann")
            #expect(try User.count(in: context) == 1)
        }
    }

    @Test func transferBetweenContexts() throws {
        let user = try User.create(in: context) { $0.displayName = "Ann" }
        let other = stack.newContext()
        let error = #expect(throws: MagicalRecordError.self) { try user.in(other) }
        #expect(error?.code == .objectNotFound)
        #expect(error?.entity == "User")
        try context.save(to: .store)
        let same = try user.in(other)
        other.runAndWait {
            #expect(same.managedObjectContext === other)
            #expect(same.displayName == "Ann")
        }
        #expect(try user.in(context) === user)
        let objects = try other.objects([user.permanentID()], as: User.self)
        #expect(objects == [same])
    }
}

/// Says it stands for the users' entity, whose class is another.
final class Stranger: NSManagedObject, EntityNaming {
    class func entityName() -> String { "User" }
}

final class Unmodelled: NSManagedObject {}
