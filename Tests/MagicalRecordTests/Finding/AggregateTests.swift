import MagicalRecord
import Testing

@Suite struct AggregateTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try AddressBook.stack()
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    @Test func overAll() throws {
        #expect(try User.aggregate(.sum(\.balance), in: context) == 150)
        #expect(try User.aggregate(.average(\.balance), where: \.isFriend == true, in: context) == 80.0 / 3)
        #expect(try User.aggregate(.average(\.countryCode), in: context) == 299.0 / 5)
        #expect(try User.aggregate(.minimum(\.displayName), in: context) == "Ann")
        #expect(try User.aggregate(.maximum(\.countryCode), in: context) == 84)
        #expect(try User.aggregate(.count(\.email), in: context) == 4)
        #expect(try User.aggregate(.sum(\.balance), where: \.userID == 99, in: context) ?? 0 == 0)
    }

    @Test func inGroups() throws {
        let groups = try User.aggregate(.sum(\.balance), groupedBy: \.countryCode, in: context)
        #expect(groups.map(\.key) == [33, 49, 84])
        #expect(groups.map(\.value) == [50, 30, 70])
    }

    @Test func valuesWithoutObjects() throws {
        #expect(
            try User.values(of: \.displayName, sortedBy: \.userID, in: context)
                == ["Ann", "Bob", "Cid", "Dora", "Émile"])
        #expect(Set(try User.values(of: \.countryCode, distinct: true, in: context)) == [33, 49, 84])
    }

    /// A value that the type cannot hold is told from a missing one.
    @Test func valuesOfAnotherType() throws {
        #expect(Int16(stored: 32_767 as NSNumber) == .max)
        #expect(Int16(stored: 40_000 as NSNumber) == nil)
        #expect(Int16?(stored: NSNull()) == .some(.none))
        #expect(Int16?(stored: 40_000 as NSNumber) == nil)
        #expect(Int16?(stored: "text") == nil)
    }

    @Test func batchUpdates() async throws {
        let main = stack.newFollowingContext(named: "other")
        let ann = try await main.perform { try #require(try User.findFirst(where: \.userID == 1, in: main)).objectID }
        #expect(try User.batchUpdate(where: \.countryCode == 49, .set(\.isFriend, to: true), in: context) == 2)
        #expect(try User.count(where: \.isFriend == true, in: context) == 4)
        #expect(
            try User.batchUpdate(where: \.userID == 1, .set(\.email, to: nil), .add(5, to: \.balance), in: context) == 1
        )
        await main.settle()
        let balance = try await main.perform { try (main.existingObject(with: ann) as? User)?.balance }
        #expect(balance == 15)
    }

    @Test func batchDeletes() throws {
        #expect(try Message.batchDelete(where: \.length >= 20, in: context) == 6)
        #expect(try Message.count(in: context) == 9)
    }
}
