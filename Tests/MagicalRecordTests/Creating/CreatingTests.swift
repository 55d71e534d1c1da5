import MagicalRecord
import Testing

@Suite(.addressBook) struct CreatingTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
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

    @Test func findOrCreate() throws {
        try context.runAndWait {
            let first = try User.findOrCreate(by: \.userID, 7, in: context)
            #expect(first.userID == 7)
            let second = try User.findOrCreate(by: \.userID, 7, in: context)
            #expect(first === second)
            try User.upsert(by: \.userID, 7, in: context) { $0.displayName = "Ann" }
            #expect(first.displayName == "Ann")
            #expect(try User.count(in: context) == 1)
        }
    }

    @Test func findOrCreateMany() throws {
        try context.runAndWait {
            let ann = try User.create(in: context) { $0.userID = 1 }
            try context.save(to: .store)
            let bob = try User.create(in: context) { $0.userID = 2 }
            let users = try User.findOrCreate(by: \.userID, in: [3, 1, 2, 3], in: context)
            #expect(users.map(\.userID) == [3, 1, 2, 3])
            #expect(users[1] === ann)
            #expect(users[2] === bob)
            #expect(users[0] === users[3])
            #expect(try User.count(in: context) == 3)
            #expect(try User.findOrCreate(by: \.userID, in: [], in: context).isEmpty)
            // Nil is a value like another.
            let names = try User.findOrCreate(by: \.displayName, in: ["Ann", nil], in: context).map(\.displayName)
            #expect(names == ["Ann", nil])
            #expect(try User.count(in: context) == 4)
        }
    }

    /// A new object is given the value, so it must be one that the entity stores.
    @Test func findOrCreateTakesStoredAttributes() throws {
        try context.runAndWait {
            let red = try Team.create(in: context) { $0.name = "Red" }
            for create in [
                { _ = try User.findOrCreate(by: \.team, red, in: self.context) },
                { _ = try User.findOrCreate(by: \.team?.name, "Red", in: self.context) },
                { _ = try User.findOrCreate(by: \.team?.name, in: ["Red"], in: self.context) },
                { try User.upsert(by: \.team?.name, "Red", in: self.context) { _ in } },
            ] {
                let error = #expect(throws: MagicalRecordError.self) { try create() }
                #expect(error?.code == .unsupportedCondition)
                #expect(error?.key?.hasPrefix("team") == true)
                #expect(error?.entity == "User")
            }
            #expect(try User.count(in: context) == 0)
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
final class Stranger: NSManagedObject, MagicalRecord.EntityNaming {
    class func entityName() -> String { "User" }
}

final class Unmodelled: NSManagedObject {}
