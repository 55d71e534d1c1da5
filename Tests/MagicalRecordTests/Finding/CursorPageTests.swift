import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Walking through a result by cursors: pages join without gap or overlap in every order, whatever is inserted or deleted between
/// them. The users are those of ``AddressBook``, with a unique ID, and thirty more.
@Suite struct CursorPageTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        (stack, context) = try Self.makeStack(.sqlite(at: ScratchFiles.new("Pages.sqlite")))
    }

    private static func makeStack(_ store: MagicalRecord.Store) throws -> (MagicalRecord.Stack, NSManagedObjectContext)
    {
        let model = AddressBook.model()
        let user = try #require(model.entitiesByName["User"])
        user.attributesByName["userID"]?.isOptional = false
        user.uniquenessConstraints = [["userID"]]
        let stack = try MagicalRecord.Stack([store], shape: .server, model: .model(model))
        try stack.saveAndWait { context in
            let teams = try ["Red", "Blue"].map { name in try Team.create(in: context) { $0.name = name } }
            for number in Int64(1)...35 {
                try User.create(in: context) { user in
                    user.userID = number * 7 % 36
                    user.displayName = number % 5 == 0 ? nil : "Name \(number % 4)"
                    user.balance = Double(number % 3) / 7
                    user.countryCode = Int32(number % 2)
                    user.lastUpdate =
                        number % 6 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number % 4) * 0.1)
                    user.team = number % 3 == 0 ? nil : teams[Int(number % 2)]
                }
            }
        }
        return (stack, stack.newContext())
    }

    /// The IDs of the users on each page.
    private func pages(
        _ query: MagicalRecord.Query<User>, size: Int, in context: NSManagedObjectContext,
        _ between: (Int) throws -> Void = { _ in }
    ) throws -> [[Int64]] {
        try context.runAndWait {
            var pages: [[Int64]] = []
            var cursor: MagicalRecord.Cursor?
            repeat {
                let page = try query.page(after: cursor, size: size, in: context)
                pages.append(page.objects.map { $0.userID })
                cursor = try page.next.map { try #require(MagicalRecord.Cursor("\($0)")) }
                try between(pages.count)
            } while cursor != nil && pages.count < 100
            return pages
        }
    }

    static let orders: [MagicalRecord.SortOrder<User>] = [
        .ascending(\.userID), .descending(\.userID), [.ascending(\.displayName), .descending(\.userID)],
        [.descending(\.displayName), .ascending(\.userID)],
        [.ascending(\.lastUpdate), .descending(\.displayName), .ascending(\.userID)],
        [.descending(\.lastUpdate), .ascending(\.balance), .descending(\.userID)],
        [.ascending(\.team?.name), .descending(\.countryCode), .ascending(\.userID)],
        [.descending(\.isFriend), .ascending(\.userID)],
    ]

    /// Orders that a unique attribute makes complete: the pages together are the whole result, in its order.
    @Test(arguments: orders.indices, [1, 2, 3, 7, 34, 35, 36])
    func pagesJoin(_ order: Int, size: Int) throws {
        let query = User.sorted(by: Self.orders[order])
        let whole = try context.runAndWait { try query.findAll(in: context).map { $0.userID } }
        let pages = try pages(query, size: size, in: context)
        #expect(pages.flatMap { $0 } == whole)
        #expect(pages.dropLast().allSatisfy { $0.count == size })
        #expect(pages.count == max(1, (35 + size - 1) / size))
    }

    @Test func conditionsHoldOnEveryPage() throws {
        let query = User.where { $0.countryCode == 1 || $0.displayName == nil }.sorted(by: \.balance).sorted(
            by: \.userID)
        let whole = try context.runAndWait { try query.findAll(in: context).map { $0.userID } }
        #expect(try pages(query, size: 4, in: context).flatMap { $0 } == whole)
    }

    #if !canImport(ObjectiveC)
    /// Where nothing in the order is unique, objects are told apart by their IDs, in every kind of store.
    @Test(arguments: [true, false])
    func orderThatLeavesObjectsEqual(isInMemory: Bool) throws {
        let (stack, context) =
            isInMemory ? try Self.makeStack(.inMemory) : (stack, context)
        for query in [
            User.all, User.sorted(by: \.displayName), User.sorted(by: \.displayName, .descending),
            User.sorted(by: \.lastUpdate, .descending).sorted(by: \.countryCode), User.where { $0.countryCode == 1 },
        ] {
            for size in [1, 4, 9] {
                let seen = try pages(query, size: size, in: context).flatMap { $0 }
                #expect(seen.count == (try query.count(in: context)))
                #expect(Set(seen).count == seen.count)
            }
        }
        withExtendedLifetime(stack) {}
    }
    #endif

    /// An object inserted before the cursor, one after it, and a deleted one, the last of its page included, change only what is theirs.
    @Test func insertingAndDeletingBetweenPages() throws {
        let pages = try pages(User.sorted(by: \.userID), size: 10, in: context) { number in
            guard number == 1 else { return }
            try User.create(in: context) { $0.userID = -1 }
            try User.create(in: context) { $0.userID = 100 }
            for id in [10, 12] as [Int64] { try User.deleteAll(where: \.userID == id, in: context) }
            try context.save(to: .store)
        }
        #expect(pages.flatMap { $0 } == Array(1...11) + Array(13...35) + [100])
    }

    @Test func unsavedObjectsAreSeen() throws {
        try context.runAndWait {
            try User.create(in: context) { $0.userID = 0 }
            try User.create(in: context) { $0.userID = 90 }
            try #require(try User.findFirst(where: \.userID == 3, in: context)).userID = 91
        }
        #expect(
            try pages(User.sorted(by: \.userID), size: 4, in: context).flatMap { $0 } == [0, 1, 2] + Array(4...35) + [
                90, 91,
            ])
    }

    @Test func cursorsOfOtherQueriesAreRefused() throws {
        try context.runAndWait {
            let cursor = try #require(try User.sorted(by: \.userID).page(after: nil, size: 5, in: context).next)
            for query in [User.sorted(by: \.userID, .descending), User.sorted(by: \.displayName).sorted(by: \.userID)] {
                let error = #expect(throws: MagicalRecordError.self) {
                    try query.page(after: cursor, size: 5, in: context)
                }
                #expect(error?.code == .invalidArgument)
            }
            // The same order with another condition is the user's business.
            #expect(
                try User.where(\.countryCode == 0).sorted(by: \.userID).page(after: cursor, size: 2, in: context)
                    .objects
                    .allSatisfy { $0.userID > 5 })
        }
        #expect(MagicalRecord.Cursor("") == nil)
        #expect(MagicalRecord.Cursor("null") == nil)
        #expect(MagicalRecord.Cursor("%%%") == nil)
        #expect(MagicalRecord.Cursor("eyJ4IjoxfQ") == nil)
    }

    @Test func whatCannotBeGoneOnWithThrows() throws {
        try context.runAndWait { () throws in
            let cases: [(MagicalRecord.Query<User>, Int, MagicalRecordError.Code)] = [
                (User.sorted(by: \.userID), 0, .invalidArgument), (User.sorted(by: \.userID), .max, .invalidArgument),
                (User.sorted(by: \.userID).limited(to: 9), 3, .invalidArgument),
                (User.sorted(by: \.displayName, .ascending(comparing: .caseInsensitive)), 3, .unsupportedCondition),
                (User.sorted(by: .key("unknown")), 3, .unknownKey),
            ]
            for (query, size, code) in cases {
                let error = #expect(throws: MagicalRecordError.self) {
                    try query.page(after: nil, size: size, in: context)
                }
                #expect(error?.code == code)
                #expect(error?.entity == "User")
            }
        }
    }

    /// In JSON a cursor is one string, and the text of a cursor has no characters that an URL would change.
    @Test func cursorsAreText() throws {
        try context.runAndWait {
            let query = User.sorted(by: [.descending(\.lastUpdate), .ascending(\.balance), .descending(\.userID)])
            let cursor = try #require(try query.page(after: nil, size: 3, in: context).next)
            let json = try JSONEncoder().encode([cursor])
            #expect(try JSONDecoder().decode([MagicalRecord.Cursor].self, from: json) == [cursor])
            #expect(String(decoding: json, as: UTF8.self) == "[\"\(cursor)\"]")
            #expect("\(cursor)".allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }
}
