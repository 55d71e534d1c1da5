import MagicalRecord
import Testing

@Suite(.addressBook) struct AggregateTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    @Test func overAll() throws {
        #expect(try User.sum(\.balance, in: context) == 150)
        #expect(try User.average(\.balance, where: \.isFriend == true, in: context) == 80.0 / 3)
        #expect(try User.average(\.balance, where: { $0.isFriend && $0.userID > 1 }, in: context) == 35)
        #expect(try User.average(\.countryCode, in: context) == 299.0 / 5)
        #expect(try User.minimum(\.displayName, in: context) == "Ann")
        #expect(try User.maximum(\.countryCode, in: context) == 84)
        #expect(try User.where(\.isFriend == true).sum(\.balance, in: context) == 80)
    }

    /// As of a Swift sequence: the sum of nothing is 0, and nothing has no mean and no extremes.
    @Test func overNothing() throws {
        let none = User.where(\.userID == 99)
        #expect(try none.sum(\.balance, in: context) == 0)
        #expect(try none.sum(\.userID, in: context) == 0)
        #expect(try none.average(\.balance, in: context) == nil)
        #expect(try none.minimum(\.userID, in: context) == nil)
        #expect(try none.maximum(\.displayName, in: context) == nil)
        #expect(try none.count(groupedBy: \.countryCode, in: context).isEmpty)
    }

    /// What comes out has the property's own type, without its being optional; means of whole numbers are doubles.
    @Test func typesAreThoseOfTheProperties() throws {
        let whole: Int32 = try User.sum(\.countryCode, in: context)
        #expect(whole == 299)
        let id: Int64? = try User.maximum(\.userID, in: context)
        #expect(id == 5)
        let name: String? = try User.maximum(\.displayName, in: context)
        #expect(name == "Émile")
        let mean: Double? = try User.average(\.userID, in: context)
        #expect(mean == 3)
        try context.runAndWait {
            try User.create(in: context) { $0.countryCode = .max }
            try context.save(to: .store)
        }
        let error = #expect(throws: MagicalRecordError.self) { try User.sum(\.countryCode, in: context) }
        #expect(error?.code == .unconvertibleValue)
    }

    @Test func inGroups() throws {
        let sums = try User.sum(\.balance, groupedBy: \.countryCode, in: context)
        #expect(sums.map(\.key) == [33, 49, 84])
        #expect(sums.map(\.value) == [50, 30, 70])
        let counts = try User.count(groupedBy: \.isFriend, in: context)
        #expect(
            counts == [
                MagicalRecord.AggregateGroup(key: false, value: 2), MagicalRecord.AggregateGroup(key: true, value: 3),
            ])
        #expect(try User.maximum(\.displayName, groupedBy: \.isFriend, in: context).map(\.value) == ["Émile", "Dora"])
        #expect(
            try User.average(\.balance, groupedBy: \.countryCode, where: { $0.userID < 5 }, in: context).map(\.value)
                == [15, 35])
        // Keys may lie behind relationships, where there may be nothing.
        #expect(try User.count(groupedBy: \.team?.name, in: context).map(\.key) == [nil, "Blue", "Red"])
        #expect(try User.count(groupedBy: \.team?.name, in: context).map(\.value) == [1, 2, 2])
    }

    @Test func groupsBySeveralKeys() throws {
        let groups = try User.sum(\.balance, groupedBy: \.countryCode, \.isFriend, in: context)
        #expect(groups.map { $0.key.0 } == [33, 49, 49, 84])
        #expect(groups.map { $0.key.1 } == [false, false, true, true])
        #expect(groups.map(\.value) == [50, 20, 10, 70])
        let three = try User.count(
            groupedBy: \.isFriend, \.countryCode, \.team?.name, where: { $0.userID > 2 }, in: context)
        #expect(
            three.map { "\($0.key.0) \($0.key.1) \($0.key.2 ?? "-") \($0.value)" } == [
                "false 33 Blue 1", "true 84 - 1", "true 84 Blue 1",
            ])
    }

    @Test func conditionsOnGroups() throws {
        let many = try User.count(groupedBy: \.countryCode, having: { $0 > 1 }, in: context)
        #expect(many.map(\.key) == [49, 84])
        let rich = try User.sum(\.balance, groupedBy: \.countryCode, having: { $0 >= 50 && $0 != 70 }, in: context)
        #expect(rich.map(\.key) == [33])
        let early = try User.minimum(
            \.displayName, groupedBy: \.countryCode, where: { $0.isFriend }, having: { $0 < "B" }, in: context)
        #expect(early.map(\.key) == [49])
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
