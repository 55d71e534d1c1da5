import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// What a fetch finds depends neither on unsaved objects it is not about nor on the kind of store: it finds the same, or is
/// refused, everywhere.
@Suite("Fetches beside unsaved changes", .slow)
struct UnrelatedChangesTests {
    enum Answer: Equatable, CustomStringConvertible {
        case found([Int])
        case refused(Int)

        var description: String {
            switch self {
            case .found(let serials): "\(serials)"
            case .refused(let code): "error \(code)"
            }
        }
    }

    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// Ann (1) leads Bob (2), who leads Cy (3); Cy has friends and no values.
    private static func fill(_ context: NSManagedObjectContext) throws {
        let home = context.insert("Place", ["serial": 1, "city": "5", "height": 5.0])
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        let ann = context.insert(
            "Person",
            [
                "serial": 1, "name": "Ann", "note": "5", "count": 5, "large": 15, "ratio": 1.5,
                "price": NSDecimalNumber(value: 5),
                "isOpen": true, "seen": date, "token": uuid, "blob": Data([1]), "code": "1.5",
                "link": URL(string: "https://example.org/5")!, "home": home,
            ])
        let bob = context.insert(
            "Worker",
            [
                "serial": 2, "name": "Bob", "note": "15", "count": 15, "large": 5, "ratio": 5, "isOpen": false,
                "boss": ann,
                "seen": date.addingTimeInterval(5), "code": "Bob", "link": URL(string: "https://example.org/15")!,
            ])
        context.insert("Person", ["serial": 3, "boss": bob, "friends": Set([ann, bob])])
        try context.save()
    }

    private static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    /// A store of each type, which no test changes.
    private static let stores = Result {
        let folder = try TemporaryFolder.forTheWholeRun()
        return try Dictionary(
            uniqueKeysWithValues: types.map { type in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SameAnswerModel.make())
                _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: folder.file(type))
                try fill(context(coordinator))
                return (type, coordinator)
            })
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A context on the store of a type.
    private func open(_ type: String) throws -> NSManagedObjectContext {
        try Self.context(#require(Self.stores.get()[type]))
    }

    private func answer(_ predicate: NSPredicate, _ context: NSManagedObjectContext) -> Answer {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = predicate
        do {
            let found = try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }
            return .found(found.filter { $0 < 100 }.sorted())
        } catch {
            return .refused((error as NSError).code)
        }
    }

    /// The answer of a SQLite store, and the others by what is different there.
    private func answers(_ predicate: NSPredicate) throws -> (Answer, others: [String: Answer]) {
        var others: [String: Answer] = [:]
        let first = try answer(predicate, open(NSSQLiteStoreType))
        for type in Self.types {
            let context = try open(type)
            others[type] = answer(predicate, context)
            context.insert("Person", ["serial": 100])
            others[type + " beside a new object"] = answer(predicate, context)
            for object in try context.fetchAll("Person") { object.setValue(7.5, forKey: "girth") }
            others[type + " beside changed objects"] = answer(predicate, context)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            others[type + " in a child"] = answer(predicate, child)
        }
        return (first, others)
    }

    private func check(_ predicate: NSPredicate, _ expected: Answer?) throws {
        let (first, others) = try answers(predicate)
        if let expected { #expect(first == expected, "\(predicate.node.predicateFormat)") }
        for (place, answer) in others.sorted(by: { $0.key < $1.key }) {
            #expect(answer == first, "\(predicate.node.predicateFormat): \(place)")
        }
    }

    // MARK: Comparisons of different types

    @Test(
        arguments: [
            // Text that is a number is that number.
            ("count == '5'", [1]), ("count == ' 15 '", [2]), ("count != '5' AND count != nil", [2]),
            ("count == 'five'", []),
            ("count > '5'", [2]), ("count BETWEEN {'1', '9'}", [1]), ("count IN {'5', 'x'}", [1]),
            ("'5' == count", [1]),
            ("ratio == '1.5'", [1]), ("price == '5'", [1]), ("isOpen == '1'", [1]), ("count ==[c] '5'", [1]),
            ("boss.count == '5'", [2]), ("ANY friends.count == '15'", [3]), ("count + 1 == '6'", [1]),
            ("SUBQUERY(friends, $f, $f.count == '5').@count == 1", [3]), ("friends.@sum.count == '20'", [3]),
            // A number compared with text is its text.
            ("note == 5", [1]), ("note IN {5, 15}", [1, 2]), ("note IN {15.0}", [2]), ("code == 1.5", [1]),
            ("note BETWEEN {15, 16}", [2]), ("ANY friends.note IN {15}", [3]), ("home.city == 5", [1]),
            ("note IN[c] {5}", [1]),
            // String operators read numbers as text.
            ("count CONTAINS '5'", [1, 2]), ("count BEGINSWITH '1'", [2]), ("count LIKE '1*'", [2]),
            ("count MATCHES '[0-9]'", [1]), ("count ENDSWITH 5", [1, 2]), ("note CONTAINS 1", [2]),
            ("boss.count CONTAINS '15'", [3]), ("friends.@count LIKE '2'", [3]),
            ("ANY friends.count BEGINSWITH '1'", [3]),
            ("note CONTAINS count", [1, 2]), ("friends.count CONTAINS 15", [3]), ("'5' IN note", [1, 2]),
            ("ratio CONTAINS '5'", [1, 2]), ("ratio ENDSWITH '.5'", [1]), ("ratio LIKE '5'", [2]),
            ("isOpen LIKE '1'", [1]),
            ("price ENDSWITH '5'", [1]), ("ANY friends.ratio MATCHES '5'", [3]), ("code CONTAINS ratio", [1]),
            ("CAST(ratio, 'NSString') == '5'", [2]), ("CAST(seen, 'NSString') == '1005'", [2]),
            // URIs are text.
            ("link == 'https://example.org/5'", [1]), ("link CONTAINS 'org/1'", [2]), ("link ENDSWITH[c] '/5'", [1]),
            ("link < 'https://example.org/2'", [2]), ("link IN {'https://example.org/5'}", [1]),
            ("ANY friends.link ENDSWITH '/15'", [3]),
            // UUIDs may be given as text, dates as seconds.
            ("token == '01020304-0506-0708-090A-0B0C0D0E0F10'", [1]), ("token == 'none'", []), ("seen == 1000", [1]),
            ("seen > 1000", [2]), ("seen == large + 985 AND seen != nil", [1]), ("seen > large", [1, 2]),
            ("blob == 'x'", []),
            // A to-many relationship is nil where it leads nowhere.
            ("friends == nil", [1, 2]), ("friends != nil", [3]), ("boss.friends == nil", [1, 2, 3]),
            ("reports == nil", [3]),
            ("SUBQUERY(reports, $r, $r.count > 10) == nil", [2, 3]), ("NOT friends == nil", [3]),
            ("nil == friends", [1, 2]),
            // nil is in no list.
            ("name IN {'Ann', nil}", [1]), ("count IN {nil}", []),
            ("entity.name == nil OR TRUEPREDICATE", nil), ("SELF == SELF", [1, 2, 3]),
            ("name == 'Ann' OR count == '15'", [1, 2]),
        ] as [(String, [Int]?)])
    func differentTypes(format: String, found: [Int]?) throws {
        try check(NSPredicate(format: format), found.map { .found($0) })
    }

    @Test func constantsGivenAsArguments() throws {
        func predicate(_ format: String, _ argument: Any) -> NSPredicate {
            NSPredicate(format: format, argumentArray: [argument])
        }
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        try check(predicate("ratio < %@", date), .found([1, 2]))
        try check(predicate("name IN %@", ["Ann", NSNull()] as [Any]), .found([1]))
        try check(predicate("note IN %@", [5, "15"] as [Any]), .found([1, 2]))
        try check(predicate("count IN %@", Set(["5", "7"])), .found([1]))
        try check(predicate("link == %@", URL(string: "https://example.org/5")!), .found([1]))
        try check(predicate("token IN %@", [Self.uuid.uuidString]), .found([1]))
        try check(predicate("count BETWEEN %@", ["4", 6.5] as [Any]), .found([1]))
        try check(predicate("code == %@", Decimal(string: "1.5")!), .found([1]))
        try check(predicate("count CONTAINS %@", NSNumber(value: 5)), .found([1, 2]))
        try check(predicate("isOpen == %@", NSNumber(value: true)), .found([1]))
    }

    @Test func entities() throws {
        let worker = try #require(SameAnswerModel.make().entitiesByName["Worker"])
        try check(NSPredicate(format: "entity == %@", worker), .found([2]))
        try check(NSPredicate(format: "entity == 'Worker'"), .found([2]))
        try check(NSPredicate(format: "entity != 'Nobody'"), .found([1, 2, 3]))
        try check(NSPredicate(format: "boss.entity IN %@", ["Worker"]), .found([3]))
    }

    /// Conditions that code adds one by one, each around those before it.
    @Test func manyAccumulatedConditions() throws {
        var all = NSPredicate(format: "count > 0"), any = NSPredicate(format: "count == 5")
        for number in 1...300 {
            let next = NSPredicate(format: "count != %d", -number)
            all = NSCompoundPredicate(andPredicateWithSubpredicates: [all, next])
            any = NSCompoundPredicate(orPredicateWithSubpredicates: [
                any, NSPredicate(format: "count == %d", 15 * number),
            ])
        }
        try check(all, .found([1, 2]))
        try check(any, .found([1, 2]))
        let none = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        try check(NSCompoundPredicate(orPredicateWithSubpredicates: [none, none]), .found([]))
        try check(NSCompoundPredicate(andPredicateWithSubpredicates: [both, both]), .found([1, 2, 3]))
        try check(NSCompoundPredicate(orPredicateWithSubpredicates: [none, both]), .found([1, 2, 3]))
    }

    // MARK: What means nothing

    @Test(arguments: [
        // No text.
        "seen BEGINSWITH '1'", "token CONTAINS '0'", "blob CONTAINS '1'",
        "name CONTAINS seen", "boss CONTAINS 'A'",
        // No order.
        "blob > 5", "count > 'five'", "count BETWEEN {'a', 'b'}",
        // Different kinds of values.
        "seen == 'yesterday'", "seen > '2001-01-01'", "seen IN {'x'}", "count == name", "name < seen", "token == name",
        "link == count", "boss == count",
        // Objects compared with what is none.
        "SELF < 'abc'", "SELF == 5", "SELF BETWEEN {0, 3}", "boss < 5", "boss == 'Ann'", "SELF > count", "boss != 1.5",
        // Collections compared with one value.
        "friends == 5", "friends.name == 'Ann'", "friends.count > 3", "friends.name BEGINSWITH 'A'",
        "boss.reports == 'x'",
        // Keys that lead nowhere.
        "ghost == 1", "boss.ghost == 1", "SUBQUERY(reports, $k, $k.ghost == 1).@count > 0",
        "SUBQUERY(friends, $k, $k.boss.ghost == 1).@count > 0", "ANY reports.ghost == 1", "reports.@sum.ghost == 1",
        "FUNCTION(SELF, 'valueForKey:', 'ghost') == 1", "FUNCTION(boss, 'valueForKeyPath:', 'boss.ghost') == 1",
        "note IN 5", "TERNARY(ghost == 1, 1, 2) == 1", "ghost.@count == 0",
    ])
    func refusals(format: String) throws {
        try check(NSPredicate(format: format), .refused(NSCoreDataError))
    }

    @Test func errorsNameWhatCannotBeCompared() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
            let context = try open(type)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "count > 'five'")
            let error = try #require(#expect(throws: NSError.self) { try context.fetch(request) })
            #expect(error.localizedDescription.contains("a number cannot be compared with the constant \"five\""))
            #expect(error.localizedRecoverySuggestion != nil)
        }
    }

    /// Keys only known while the predicate is evaluated.
    @Test(arguments: [NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
    func keysFoundOutLate(type: String) throws {
        let context = try open(type)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "FUNCTION(SELF, 'valueForKey:', name) == 1")
        for _ in 0..<2 {
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == NSCoreDataError)
            #expect(throws: NSError.self) { try context.count(for: request) }
            context.insert("Person", ["serial": 100, "name": "ghost"])
        }
    }

    /// What only evaluation in memory can do stays possible in stores that have nothing else.
    @Test func storesInMemoryEvaluateMore() throws {
        let context = try open(NSInMemoryStoreType)
        context.insert("Person", ["serial": 100])
        #expect(answer(NSPredicate { object, _ in (object as? NSObject) != nil }, context) == .found([1, 2, 3]))
        #expect(answer(NSPredicate(format: "name.length == 3"), context) == .found([1, 2]))
        #expect(answer(NSPredicate(format: "count.stringValue == '5'"), context) == .found([1]))
    }
}
