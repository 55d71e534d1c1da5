import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Orders of results, given as one key or as several. The users are those of ``AddressBook``.
@Suite(.addressBook(.server)) struct SortOrderTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    private func names(_ query: MagicalRecord.Query<User>) throws -> [String] {
        try context.runAndWait { try query.findAll(in: context).compactMap { $0.displayName } }
    }

    /// Each further key decides between objects equal in those before, in the order they were named.
    @Test func keysDecideInTheOrderTheyWereNamed() throws {
        #expect(
            try names(User.sorted(by: \.isFriend).sorted(by: \.userID, .descending)) == [
                "Émile", "Bob", "Dora", "Cid", "Ann",
            ])
        #expect(
            try names(User.sorted(by: \.isFriend, .descending).sorted(by: \.userID)) == [
                "Ann", "Cid", "Dora", "Bob", "Émile",
            ])
        #expect(
            try names(User.all.sorted(by: [.descending(\.isFriend), .ascending(\.userID)]))
                == names(User.all.sorted(by: .descending(\.isFriend).then(.ascending(\.userID)))))
    }

    @Test func everyFormOfOneKeyMeansTheSame() throws {
        let expected = ["Émile", "Dora", "Cid", "Bob", "Ann"]
        #expect(try names(User.sorted(by: \.displayName, .descending)) == expected)
        #expect(try names(User.sorted(by: .descending(\.displayName))) == expected)
        #expect(try names(User.sorted(by: .key("displayName", .descending))) == expected)
        #expect(try names(User.sorted(by: MagicalRecord.SortOrder(\.displayName, .descending))) == expected)
        #expect(
            try names(User.sorted(by: .descriptors([NSSortDescriptor(key: "displayName", ascending: false)])))
                == expected)
        let found = try context.runAndWait {
            try User.findAll(sortedBy: \.displayName, .descending, in: context).compactMap { $0.displayName }
        }
        #expect(found == expected)
    }

    @Test func aDirectionSaysHowTextCompares() throws {
        try context.runAndWait {
            let user = try User.create(in: context)
            user.userID = 9
            user.displayName = "bob"
        }
        #expect(try names(User.sorted(by: \.displayName)).suffix(2) == ["bob", "Émile"])
        #expect(
            try names(User.sorted(by: \.displayName, .ascending(comparing: .caseInsensitive)).sorted(by: \.userID))
                .prefix(3)
                == ["Ann", "Bob", "bob"])
    }

    /// What a query would ask is printed with its condition as a format string.
    @Test func queriesPrintWhatTheyAsk() {
        let query = User.where { $0.isFriend && $0.userID > 3 }.sorted(by: \.lastUpdate, .descending).sorted(
            by: \.userID)
        #expect(
            "\(query.limited(to: 20, offset: 40))"
                == "User where isFriend == 1 AND userID > 3 sorted by lastUpdate descending, userID ascending, limit 20, offset 40"
        )
        #expect("\(User.all)" == "User")
    }

    /// Orders, queries and prefetches are values without key paths or objects, and are used where they were not made.
    @Test func queriesCrossTasks() async throws {
        let query = User.where(\.isFriend == true).sorted(by: \.userID).prefetching(.relationship(\.team))
        let stack = stack
        let found = try await Task.detached {
            let context = stack.newContext()
            return try context.runAndWait { try query.findAll(in: context).compactMap { $0.displayName } }
        }.value
        #expect(found == ["Ann", "Cid", "Dora"])
    }
}
