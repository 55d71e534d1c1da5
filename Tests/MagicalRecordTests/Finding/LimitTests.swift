import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Limits and pages: 0 is none, in every function. The users are those of ``AddressBook``.
@Suite(.addressBook(.server)) struct LimitTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    @Test func aLimitOfZeroFindsNothing() async throws {
        try context.runAndWait {
            let none = User.all.sorted(by: \.userID).limited(to: 0)
            #expect(try User.findAll(limit: 0, in: context).isEmpty)
            #expect(try none.findAll(in: context).isEmpty)
            #expect(try none.findFirst(in: context) == nil)
            #expect(try none.count(in: context) == 0)
            #expect(try !none.exists(in: context))
            #expect(try none.ids(in: context).isEmpty)
            #expect(try none.values(of: \.userID, in: context).isEmpty)
            #expect(try none.where(\.userID == 1).limited(to: 0, offset: 1).findAll(in: context).isEmpty)
            try none.forEachBatch(of: 2, in: context) { users in Issue.record("\(users.count) users") }
            #expect(try none.deleteAll(in: context) == 0)
            #expect(try none.batchDelete(in: context) == 0)
            #expect(try User.count(in: context) == 5)
            // Unsaved objects are no exception.
            try User.create(in: context)
            #expect(try none.findAll(in: context).isEmpty)
        }
        var lists: [Int] = []
        for try await count in User.sorted(by: \.userID).limited(to: 0).observe(in: stack.newContext(), { $0.count }) {
            lists.append(count)
            break
        }
        #expect(lists == [0])
    }

    /// A query that may return one object finds no second, whatever asks it.
    @Test func aLimitHoldsForEveryVerb() throws {
        try context.runAndWait { () throws in
            let two = User.all.sorted(by: \.userID, .descending).limited(to: 2)
            #expect(try two.findAll(in: context).map { $0.userID } == [5, 4])
            #expect(try two.count(in: context) == 2)
            #expect(try two.values(of: \.userID, in: context) == [5, 4])
            #expect(try User.all.limited(to: 1).where(\.userID == 2).findOnly(in: context).userID == 2)
            #expect(try two.limited(to: 2, offset: 4).findAll(in: context).map { $0.userID } == [1])
        }
    }

    /// What has no place for a limit would otherwise change, or add up, more than was asked for.
    @Test func whatCannotBeLimitedThrows() throws {
        try context.runAndWait { () throws in
            for query in [
                User.all.limited(to: 2), User.all.limited(to: 0),
                User.where(\.isFriend == true).limited(to: 1, offset: 1),
            ] {
                let update = #expect(throws: MagicalRecordError.self) {
                    try query.batchUpdate(.set(\.balance, to: 0), in: context)
                }
                #expect(update?.code == .invalidArgument)
                #expect(update?.entity == "User")
                let sum = #expect(throws: MagicalRecordError.self) { try query.sum(of: \.balance, in: context) }
                #expect(sum?.code == .invalidArgument)
            }
            #expect(try User.all.sum(of: \.balance, in: context) == 150)
        }
    }

    /// A page's number comes from a request as often as not.
    @Test(arguments: [(-1, 20), (0, 0), (1, -5), (Int.max, 2), (Int.min, 1)])
    func pagesThatAreNoneThrow(_ number: Int, _ size: Int) throws {
        let error = #expect(throws: MagicalRecordError.self) {
            try User.all.sorted(by: \.userID).page(number, size: size, in: context)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("page \(number) of \(size)") == true)
    }
}
