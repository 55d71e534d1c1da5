import MagicalRecord
import Testing

/// The notes' singleton: a context for every kind of work, merged into the main one.
@Suite struct DatabaseTests {
    /// Questions of a domain, as an app would write them.
    final class People: MagicalRecord.Database, @unchecked Sendable {
        func add(_ name: String, id: Int64) async throws {
            try await save("users") { context in
                let user = try User.findOrCreate(by: \.userID, id, in: context)
                user.displayName = name
            }
        }

        func names() async throws -> [String] {
            try await read("users") { context in
                try User.findAll(sortedBy: \.displayName, in: context).compactMap(\.displayName)
            }
        }
    }

    @Test func namedContexts() throws {
        let database = MagicalRecord.Database(stack: try AddressBook.stack())
        let users = try database.context(named: "users")
        #expect(try database.context(named: "users") === users)
        #expect(try database.context(named: "messages") !== users)
        #expect(users.concurrencyType == .privateQueueConcurrencyType)
        #expect(users.parent == nil)
    }

    @Test(arguments: SavingTests.shapes) func writesReachTheMainAndTheOtherContexts(_ shape: MagicalRecord.Shape)
        async throws
    {
        let stack = try AddressBook.stack(shape: shape)
        let database = People(stack: stack)
        let messages = try database.context(named: "messages")
        try await database.add("Ann", id: 1)
        let id = try #require(try await database.read("users") { try User.all.ids(in: $0).first })
        let main = stack.mainContext
        await stack.rootSavingContext.settle()
        await main.settle()
        #expect(try await main.perform { try (main.existingObject(with: id) as? User)?.displayName } == "Ann")
        #expect(try await messages.perform { try (messages.existingObject(with: id) as? User)?.displayName } == "Ann")
        try await database.add("Anna", id: 1)
        await stack.rootSavingContext.settle()
        await main.settle()
        await messages.settle()
        #expect(try await main.perform { try (main.existingObject(with: id) as? User)?.displayName } == "Anna")
        #expect(try await messages.perform { try (messages.existingObject(with: id) as? User)?.displayName } == "Anna")
        #expect(try await database.names() == ["Anna"])
    }

    @Test(arguments: SavingTests.shapes) func aWriteCanWaitUntilTheMainContextShowsIt(_ shape: MagicalRecord.Shape)
        async throws
    {
        let stack = try AddressBook.stack(shape: shape)
        try AddressBook.fill(stack)
        let database = MagicalRecord.Database(stack: stack)
        let main = stack.mainContext
        let id = try await main.perform {
            let ann = try #require(try User.findFirst(where: \.userID == 1, in: main))
            #expect(ann.displayName == "Ann")
            return ann.objectID
        }
        for name in ["Anna", "Anne", "Annie"] {
            try await database.save("users", waitingForMerges: true) { context in
                try User.findFirst(where: \.userID == 1, in: context)?.displayName = name
            }
            let seen = await main.perform { (main.registeredObject(for: id) as? User)?.displayName }
            #expect(seen == nil || seen == name)
            #expect(try await main.perform { try User.find(id: id, in: main)?.displayName } == name)
        }
    }

    @Test func aFailedWriteIsTakenBack() async throws {
        struct Refusal: Error {}
        let database = MagicalRecord.Database(stack: try AddressBook.stack())
        await #expect(throws: Refusal.self) {
            try await database.save("users") { context in
                try User.create(in: context)
                throw Refusal()
            }
        }
        #expect(try await database.read("users") { try User.count(in: $0) } == 0)
        #expect(try database.saveAndWait("users") { try User.create(in: $0).userID } == 0)
        #expect(try database.readAndWait("users") { try User.count(in: $0) } == 1)
    }

    @Test func everySubclassHasItsOwnSharedInstance() {
        #expect(People.shared === People.shared)
        #expect(MagicalRecord.Database.shared === MagicalRecord.Database.shared)
        #expect(MagicalRecord.Database.shared !== People.shared)
    }
}
