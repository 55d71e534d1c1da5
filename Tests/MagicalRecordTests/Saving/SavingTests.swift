import MagicalRecord
import Testing

@Suite struct SavingTests {
    static let shapes: [MagicalRecord.Shape] = [.rootSaving, .siblings, .server, .parentChild, .mainOnly]

    @Test(arguments: shapes) func aSaveReachesTheStore(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(shape: shape)
        let id = try await stack.save { context in
            let user = try User.create(in: context)
            user.displayName = "Ann"
            return try user.permanentID()
        }
        #expect(!id.isTemporaryID)
        let name = try await stack.read { context in try User.find(id: id, in: context)?.displayName }
        #expect(name == "Ann")
        #expect(stack.rootSavingContext.runAndWait { !stack.rootSavingContext.hasChanges })
    }

    @Test(arguments: shapes) func theMainContextIsKeptInStep(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(shape: shape)
        let main = stack.mainContext
        let id = try await stack.save { context in try User.create(in: context).permanentID() }
        await main.settle()
        try await main.perform {
            let user = try #require(try main.existingObject(with: id) as? User)
            #expect(user.displayName == nil)
        }
        try await stack.save { context in try User.find(id: id, in: context)?.displayName = "Bob" }
        await main.settle()
        let name = try await main.perform { try (main.existingObject(with: id) as? User)?.displayName }
        #expect(name == "Bob")
        try await stack.save { context in try User.find(id: id, in: context)?.delete() }
        await main.settle()
        #expect(await main.perform { main.registeredObject(for: id) == nil })
    }

    @Test func theOutcomeSaysHowFarItGot() async throws {
        let stack = try AddressBook.stack()
        let nothing = try await stack.saveReportingOutcome { _ in 1 }
        #expect(nothing.outcome == .nothingToSave)
        #expect(nothing.value == 1)
        let something = try await stack.saveReportingOutcome { context in try User.create(in: context).permanentID() }
        #expect(something.outcome == .store)
    }

    @Test func stepByStep() throws {
        let stack = try AddressBook.stack()
        let context = stack.newContext()
        #expect(try context.save(to: .parent) == .nothingToSave)
        try User.create(in: context)
        #expect(try context.save(to: .parent) == .parent)
        // Nothing is left here, but the parent has changes: the original did not save them.
        #expect(try context.save(to: .store) == .store)
        #expect(try context.save(to: .store) == .nothingToSave)
    }

    @Test func anErrorInTheClosureSavesNothing() async throws {
        struct Refusal: Error {}
        let stack = try AddressBook.stack()
        await #expect(throws: Refusal.self) {
            try await stack.save { context in
                try User.create(in: context)
                throw Refusal()
            }
        }
        #expect(throws: Refusal.self) {
            try stack.saveAndWait { context in
                try User.create(in: context)
                throw Refusal()
            }
        }
        #expect(try await stack.read { try User.count(in: $0) } == 0)
    }

    @Test func invalidObjectsAreRefusedAndLeaveNothingBehind() async throws {
        let stack = try AddressBook.stack()
        let error = await #expect(throws: (any Error).self) {
            try await stack.save { context in try Team.create(in: context).objectID }
        }
        #expect((error as? NSError)?.code == NSValidationMissingMandatoryPropertyError)
        // The next save is not made to fail by the one before.
        try await stack.save { context in try Team.create(in: context) { $0.name = "Red" }.objectID }
        #expect(try await stack.read { try Team.count(in: $0) } == 1)
    }

    @Test func contextlessCallsMeanTheSaveAroundThem() async throws {
        let stack = try AddressBook.stack()
        try await stack.save { context in
            let user = try User.create()
            #expect(user.managedObjectContext === context)
            #expect(try User.count() == 1)
        }
        #expect(try await stack.read { _ in try User.count() } == 1)
    }

    @Test func savesTakeTurns() async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await stack.save { context in
                        let team = try Team.findOrCreate(by: \.teamID, 7, in: context)
                        team.name = "Red"
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stack.read { try Team.count(in: $0) } == 1)
    }

    @Test func aSaveInsideASaveDoesNotWaitForItself() throws {
        let stack = try AddressBook.stack()
        try stack.saveAndWait { outer in
            try User.create(in: outer)
            try stack.saveAndWait { inner in
                #expect(inner === outer)
                try User.create(in: inner)
            }
        }
        #expect(try User.count(in: stack.newContext()) == 2)
    }

    @Test func readingDiscardsChanges() async throws {
        let stack = try AddressBook.stack()
        try await stack.read { context in _ = try User.create(in: context) }
        #expect(try await stack.read { try User.count(in: $0) } == 0)
    }
}

extension MagicalRecord.Shape: CustomTestStringConvertible {
    public var testDescription: String { name }
}
