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
        (stack, context) = try Self.makeStack(ScratchStores.new("Pages.sqlite"))
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

    #if !canImport(ObjectiveC)
    /// Clients can send a server any text: what no page gave is an invalid argument, which a server answers with 400.
    @Test func editedCursorsAreRefused() throws {
        try context.runAndWait { () throws in
            let query = User.sorted(by: \.lastUpdate).sorted(by: \.countryCode).sorted(by: \.balance)
            let cursor = try #require(try query.page(after: nil, size: 30, in: context).next)
            let json = try Self.json(cursor)
            let values = try #require(json["values"] as? [[String: Any]])
            let team = try #require(try Team.findFirst(in: context)).objectID.uriRepresentation().absoluteString
            let object = try #require(json["object"] as? String)
            var edited: [[String: Any]] = []
            let wrong: [[String: Any]] = [
                ["t": "text"], ["m": "12"], ["m": "x"], ["u": UUID().uuidString], ["l": "https://example.org"],
            ]
            for place in values.indices {
                let others: [[String: Any]] =
                    [[["i": 1], ["n": 0]], [["i": Int(Int32.max) + 1], ["d": 0]], [["i": 1], ["d": 0]]][place]
                for value in wrong + others + [["d": Double.nan.bitPattern], ["n": Double.nan.bitPattern]] {
                    var changed = values
                    changed[place] = value
                    edited.append(json.merging(["values": changed]) { $1 })
                }
            }
            edited.append(json.merging(["values": Array(values.dropLast())]) { $1 })
            edited.append(json.merging(["query": "User"]) { $1 })
            let stranger = "x-coredata://\(UUID().uuidString)/User/p1"
            for url in [
                team, stranger, "", "p1", object + "x", object.replacingOccurrences(of: "/User/", with: "/No/"),
            ] {
                edited.append(json.merging(["object": url]) { $1 })
            }
            edited.append(json.filter { $0.key != "object" })
            for contents in edited {
                guard let cursor = try Self.cursor(contents) else { continue }
                let error = #expect(throws: MagicalRecordError.self, "\(contents)") {
                    try query.page(after: cursor, size: 5, in: context)
                }
                #expect(error?.code == .invalidArgument, "\(contents)")
                #expect(error?.entity == "User")
            }
            // The same text unedited is taken.
            #expect(try Self.cursor(json) == cursor)
        }
    }

    private static func json(_ cursor: MagicalRecord.Cursor) throws -> [String: Any] {
        var text = "\(cursor)".replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        let data = try #require(Data(base64Encoded: text))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func cursor(_ json: [String: Any]) throws -> MagicalRecord.Cursor? {
        let data = try JSONSerialization.data(withJSONObject: json)
        return MagicalRecord.Cursor(
            data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: ""))
    }
    #endif

    /// Keys of every type that a cursor takes. The second page compares with the first page's last value.
    @Test(arguments: [
        ("id", NSAttributeType.UUIDAttributeType), ("site", .URIAttributeType), ("price", .decimalAttributeType),
        ("made", .dateAttributeType), ("rough", .floatAttributeType), ("large", .integer64AttributeType),
    ])
    func keysOfEveryType(_ key: String, _ type: NSAttributeType) throws {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (key, type, false)
        let thing = NSEntityDescription()
        (thing.name, thing.properties, thing.uniquenessConstraints) = ("Thing", [attribute], [[key]])
        let model = NSManagedObjectModel()
        model.entities = [thing]
        for store in [try ScratchStores.new("Keys.sqlite"), .inMemory] {
            // In-memory stores have no constraints that the page could rest on.
            let stack = try MagicalRecord.Stack([store], shape: .server, model: .model(model))
            let context = stack.newContext()
            try context.runAndWait {
                for number in 0..<20 {
                    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                    let value: Any =
                        switch type {
                        case .UUIDAttributeType: UUID()
                        case .URIAttributeType: URL(string: "https://example.org/\(number * 7 % 20)")!
                        case .decimalAttributeType: NSDecimalNumber(string: "\(number * 7 % 20).30")
                        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number * 7 % 20) + 0.1)
                        case .floatAttributeType: Float(number * 7 % 20) / 3
                        default: number * 7 % 20
                        }
                    thing.setValue(value, forKey: key)
                }
                try context.save()
                for isAscending in [true, false] {
                    let query = MagicalRecord.Query<NSManagedObject>(entityNamed: "Thing").sorted(
                        by: .key(key, isAscending ? .ascending : .descending))
                    var (seen, cursor): ([NSManagedObject], MagicalRecord.Cursor?) = ([], nil)
                    repeat {
                        let page = try query.page(after: cursor, size: 6, in: context)
                        seen += page.objects
                        cursor = page.next
                    } while cursor != nil && seen.count < 100
                    #expect(seen == (try query.findAll(in: context)))
                    #expect(seen.count == 20)
                }
            }
        }
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
