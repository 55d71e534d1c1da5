import MagicalRecord
import Testing

@Suite(.addressBook) struct DeletingTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    @Test func deletingWaitsForASave() throws {
        #expect(try User.deleteAll(where: \.isFriend == true, in: context) == 3)
        #expect(try User.count(in: context) == 2)
        #expect(try User.count(in: stack.newContext()) == 5)
        try context.save(to: .store)
        #expect(try User.count(in: stack.newContext()) == 2)
    }

    @Test func deleteRulesApply() throws {
        try context.runAndWait { try User.findFirst(where: \.userID == 5, in: context)?.delete() }
        try context.save(to: .store)
        #expect(try Message.count(in: stack.newContext()) == 10)
    }

    @Test func everyWayToSayWhich() throws {
        #expect(try User.deleteAll(where: "userID == %d", 1, in: context) == 1)
        #expect(try User.deleteAll(where: NSPredicate(format: "userID == 2"), in: context) == 1)
        #expect(try User.deleteAll(in: context) == 3)
        #expect(try User.deleteAll(in: context) == 0)
    }
}
