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
        #expect(try User.all.sum(of: \.balance, in: context) == 150)
        #expect(try User.where(\.isFriend == true).average(of: \.balance, in: context) == 80.0 / 3)
        #expect(try User.where { $0.isFriend && $0.userID > 1 }.average(of: \.balance, in: context) == 35)
        #expect(try User.all.average(of: \.countryCode, in: context) == 299.0 / 5)
        #expect(try User.all.minimum(of: \.displayName, in: context) == "Ann")
        #expect(try User.all.maximum(of: \.countryCode, in: context) == 84)
        #expect(try User.where(\.isFriend == true).sum(of: \.balance, in: context) == 80)
    }

    /// As of a Swift sequence: the sum of nothing is 0, and nothing has no mean and no extremes.
    @Test func overNothing() throws {
        let none = User.where(\.userID == 99)
        #expect(try none.sum(of: \.balance, in: context) == 0)
        #expect(try none.sum(of: \.userID, in: context) == 0)
        #expect(try none.average(of: \.balance, in: context) == nil)
        #expect(try none.minimum(of: \.userID, in: context) == nil)
        #expect(try none.maximum(of: \.displayName, in: context) == nil)
        #expect(try none.count(by: \.countryCode, in: context).isEmpty)
    }

    /// What comes out has the property's own type, without its being optional; means of whole numbers are doubles.
    @Test func typesAreThoseOfTheProperties() throws {
        let whole: Int32 = try User.all.sum(of: \.countryCode, in: context)
        #expect(whole == 299)
        let id: Int64? = try User.all.maximum(of: \.userID, in: context)
        #expect(id == 5)
        let name: String? = try User.all.maximum(of: \.displayName, in: context)
        #expect(name == "Émile")
        let mean: Double? = try User.all.average(of: \.userID, in: context)
        #expect(mean == 3)
        try context.runAndWait {
            try User.create(in: context) { $0.countryCode = .max }
            try context.save(to: .store)
        }
        let error = #expect(throws: MagicalRecordError.self) { try User.all.sum(of: \.countryCode, in: context) }
        #expect(error?.code == .unconvertibleValue)
    }

    @Test func inGroups() throws {
        let sums = try User.all.sum(of: \.balance, by: \.countryCode, in: context)
        #expect(sums.map(\.key) == [33, 49, 84])
        #expect(sums.map(\.value) == [50, 30, 70])
        let counts = try User.all.count(by: \.isFriend, in: context)
        #expect(
            counts == [
                MagicalRecord.AggregateGroup(key: false, value: 2), MagicalRecord.AggregateGroup(key: true, value: 3),
            ])
        #expect(try User.all.maximum(of: \.displayName, by: \.isFriend, in: context).map(\.value) == ["Émile", "Dora"])
        #expect(
            try User.where { $0.userID < 5 }.average(of: \.balance, by: \.countryCode, in: context).map(\.value)
                == [15, 35])
        // Keys may lie behind relationships, where there may be nothing.
        #expect(try User.all.count(by: \.team?.name, in: context).map(\.key) == [nil, "Blue", "Red"])
        #expect(try User.all.count(by: \.team?.name, in: context).map(\.value) == [1, 2, 2])
    }

    @Test func groupsBySeveralKeys() throws {
        let groups = try User.all.sum(of: \.balance, by: \.countryCode, \.isFriend, in: context)
        #expect(groups.map { $0.key.0 } == [33, 49, 49, 84])
        #expect(groups.map { $0.key.1 } == [false, false, true, true])
        #expect(groups.map(\.value) == [50, 20, 10, 70])
        let three = try User.where { $0.userID > 2 }.count(by: \.isFriend, \.countryCode, \.team?.name, in: context)
        #expect(
            three.map { "\($0.key.0) \($0.key.1) \($0.key.2 ?? "-") \($0.value)" } == [
                "false 33 Blue 1", "true 84 - 1", "true 84 Blue 1",
            ])
    }

    @Test func conditionsOnGroups() throws {
        let many = try User.all.count(by: \.countryCode, having: { $0 > 1 }, in: context)
        #expect(many.map(\.key) == [49, 84])
        let rich = try User.all.sum(of: \.balance, by: \.countryCode, having: { $0 >= 50 && $0 != 70 }, in: context)
        #expect(rich.map(\.key) == [33])
        let early = try User.where { $0.isFriend }.minimum(
            of: \.displayName, by: \.countryCode, having: { $0 < "B" }, in: context)
        #expect(early.map(\.key) == [49])
    }

    @Test func valuesWithoutObjects() throws {
        #expect(
            try User.sorted(by: \.userID).values(of: \.displayName, in: context)
                == ["Ann", "Bob", "Cid", "Dora", "Émile"])
        #expect(Set(try User.all.values(of: \.countryCode, distinct: true, in: context)) == [33, 49, 84])
    }

    /// A value that the type cannot hold is told from a missing one.
    @Test func valuesOfAnotherType() throws {
        #expect(Int16(_stored: 32_767 as NSNumber) == .max)
        #expect(Int16(_stored: 40_000 as NSNumber) == nil)
        #expect(Int16?(_stored: NSNull()) == .some(.none))
        #expect(Int16?(_stored: 40_000 as NSNumber) == nil)
        #expect(Int16?(_stored: "text") == nil)
    }

    @Test func batchUpdates() async throws {
        let main = stack.newFollowingContext(named: "other")
        let ann = try await main.perform { try #require(try User.findFirst(where: \.userID == 1, in: main)).objectID }
        #expect(try User.where(\.countryCode == 49).batchUpdate(.set(\.isFriend, to: true), in: context) == 2)
        #expect(try User.count(where: \.isFriend == true, in: context) == 4)
        #expect(
            try User.where(\.userID == 1).batchUpdate(.set(\.email, to: nil), .add(5, to: \.balance), in: context) == 1
        )
        await main.settle()
        let balance = try await main.perform { try (main.existingObject(with: ann) as? User)?.balance }
        #expect(balance == 15)
    }

    @Test func batchDeletes() throws {
        #expect(try Message.where(\.length >= 20).batchDelete(in: context) == 6)
        #expect(try Message.count(in: context) == 9)
    }
}
