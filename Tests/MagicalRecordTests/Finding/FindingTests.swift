import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

@Suite(.addressBook) struct FindingTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    /// The names of what a finder finds, in its order.
    private func names(_ find: () throws -> [User]) rethrows -> [String] {
        try context.runAndWait { try find().map { $0.displayName ?? "" } }
    }

    @Test func allAndFirst() throws {
        #expect(try names { try User.findAll(in: context) }.count == 5)
        #expect(
            try names { try User.findAll(where: \.isFriend == true, in: context) }.sorted() == ["Ann", "Cid", "Dora"])
        let ann = try User.findFirst(where: \.userID == 1, in: context)
        #expect(context.runAndWait { ann?.displayName } == "Ann")
        #expect(try User.findFirst(where: \.userID == 99, in: context) == nil)
    }

    @Test func orderLimitAndOffset() throws {
        #expect(
            try names { try User.findAll(sortedBy: \.balance, .descending, limit: 2, in: context) } == [
                "Émile", "Dora",
            ])
        #expect(
            try names { try User.findAll(sortedBy: \.userID, limit: 2, offset: 1, in: context) }
                == ["Bob", "Cid"])
        #expect(
            try names {
                try User.findAll(sortedBy: [.ascending(\.countryCode), .descending(\.balance)], in: context)
            } == ["Émile", "Bob", "Ann", "Dora", "Cid"])
        let poorest = try User.findFirst(sortedBy: \.balance, in: context)
        #expect(context.runAndWait { poorest?.displayName } == "Ann")
    }

    /// Foundation has a `SortOrder` of its own, which stays reachable under its plain name.
    @Test func ordersAreToldFromFoundations() throws {
        func sorted<Root: NSManagedObject>(_ order: MagicalRecord.SortOrder<Root>) throws -> [String?] {
            try order.sortDescriptors().map(\.key)
        }
        let order: SortOrder = .reverse
        #expect(order != .forward)
        #expect(try sorted([.ascending(\User.countryCode), .descending(\.balance)]) == ["countryCode", "balance"])
    }

    @Test func formatsAndPredicates() throws {
        #expect(
            try names { try User.findAll(where: "isFriend == 1 AND displayName CONTAINS[c] %@", "d", in: context) }
                .sorted() == ["Cid", "Dora"])
        let predicate = NSPredicate(format: "balance >= %d", 40)
        #expect(try names { try User.findAll(where: predicate, in: context) }.count == 2)
        #expect(try User.count(where: "countryCode == %d", 49, in: context) == 2)
        #expect(try User.exists(where: "countryCode == %d", 1, in: context) == false)
    }

    @Test func aFormatThatDoesNotParseThrows() {
        let error = #expect(throws: MagicalRecordError.self) {
            try User.findAll(where: "isFriend == == 1", in: context)
        }
        #expect(error?.code == .malformedFormat)
    }

    /// The domain and the wording are Apple's, whose Core Data raises an exception where this throws.
    @Test func keysThatTheEntityDoesNotHaveThrow() throws {
        for find: () throws -> Any in [
            { try User.findAll(where: "nickname == 'Ann'", in: context) },
            { try User.findFirst(where: "nickname == 'Ann'", in: context) as Any },
            { try User.count(where: "nickname == 'Ann'", in: context) },
        ] {
            let error = try #require(throws: (any Error).self) { try find() } as NSError
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.localizedDescription.contains("keypath nickname not found in entity User"))
        }
    }

    @Test func swiftPredicates() throws {
        let wanted: Int64 = 3
        let found = try User.findFirst(where: .matching(#Predicate { $0.userID == wanted }), in: context)
        #expect(context.runAndWait { found?.displayName } == "Cid")
    }

    @Test func throughRelationships() throws {
        #expect(try names { try User.findAll(where: \.team?.name == "Red", in: context) }.sorted() == ["Ann", "Bob"])
        #expect(try names { try User.findAll(where: \.team == nil, in: context) } == ["Dora"])
        #expect(try names { try User.findAll(where: { $0.messages.any(\.length >= 40) }, in: context) } == ["Émile"])
        #expect(try User.count(where: { $0.messages.count >= 3 }, in: context) == 3)
        #expect(try User.count(where: { $0.messages.all(\.length < 10) }, in: context) == 1)
        #expect(try User.count(where: { $0.messages.none(\.length >= 20) }, in: context) == 2)
        #expect(
            try User.count(where: { $0.messages.any(\.length == 10 && \.text == "message 1") }, in: context) == 4)
    }

    @Test func relatedToAnObject() throws {
        try context.runAndWait {
            let red = try #require(try Team.findFirst(where: \.name == "Red", in: context))
            #expect(try User.count(where: \.team == red, in: context) == 2)
            #expect(try User.count(where: \.team == red.objectID, in: context) == 2)
            let ann = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(try User.count(where: \.self == ann, in: context) == 1)
            #expect(try Team.count(where: { $0.members.contains(ann) }, in: context) == 1)
        }
    }

    @Test func lists() throws {
        #expect(try User.count(where: { $0.countryCode.in([84, 33]) }, in: context) == 3)
        #expect(try User.count(where: { $0.countryCode.in([]) }, in: context) == 0)
        #expect(try User.count(where: { $0.balance.between(20...40) }, in: context) == 3)
    }

    @Test func countingSeesUnsavedObjects() throws {
        #expect(try User.count(in: context) == 5)
        try User.create(in: context)
        #expect(try User.count(in: context) == 6)
        #expect(try User.all.savedOnly().count(in: context) == 5)
        #expect(try User.exists(where: \.userID == 0, in: context))
    }

    @Test func byID() throws {
        let id = try #require(try User.all.ids(in: context).first)
        #expect(try User.find(id: id, in: context) != nil)
        #expect(try Team.find(id: id, in: context) == nil)
    }

    @Test func pages() throws {
        let query = User.all.sorted(by: \.userID)
        let page = try query.page(1, size: 2, in: context)
        #expect(context.runAndWait { page.objects.map(\.userID) } == [3, 4])
        #expect(page.total == 5)
        #expect(page.pageCount == 3)
        #expect(page.hasNext)
        #expect(try query.page(2, size: 2, in: context).hasNext == false)
        #expect(try query.page(9, size: 2, in: context).objects.isEmpty)
    }

    @Test func batches() throws {
        var sizes: [Int] = []
        var seen: [Int64] = []
        try User.all.sorted(by: \.userID).forEachBatch(of: 2, in: context) { users in
            sizes.append(users.count)
            seen += users.map(\.userID)
        }
        #expect(sizes == [2, 2, 1])
        #expect(seen == [1, 2, 3, 4, 5])
    }

    @Test func onlyOne() throws {
        #expect(throws: Never.self) { try User.all.where(\.userID == 1).findOnly(in: context) }
        for query in [User.all.where(\.userID == 99), User.all] {
            let error = #expect(throws: MagicalRecordError.self) { try query.findOnly(in: context) }
            #expect(error?.code == .objectNotFound)
        }
    }

    @Test func plainManagedObjects() throws {
        let query = try MagicalRecord.Query<NSManagedObject>(entityNamed: "User").where("userID == %d", 1)
        let found = try query.findFirst(in: context)
        #expect(context.runAndWait { found?.value(forKey: "displayName") as? String } == "Ann")
        let error = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.Query<NSManagedObject>(entityNamed: "Nothing").count(in: context)
        }
        #expect(error?.code == .unknownEntity)
    }

    @Test(.defaultStack) func withoutAContextOffTheMainThread() async {
        MagicalRecord.cleanUp()
        await Task.detached {
            let error = #expect(throws: MagicalRecordError.self) { try User.count() }
            #expect(error?.code == .missingContext || error?.code == .notSetUp)
        }.value
    }
}
