#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// Queries find what fetches find, in the same order, and refuse what these refuse.
@Suite struct PredicateEqualityTests {
    private typealias Condition = (entity: String, format: String, arguments: [Any])

    private static let comparisons = ["==", "!=", "<", "<=", ">", ">="].flatMap { sign in
        [
            "serial \(sign) 7", "7 \(sign) count", "ratio \(sign) part", "price \(sign) 2.5", "name \(sign) 'anna'",
            "name \(sign)[c] 'ANNA'", "note \(sign)[cd] 'anna'", "boss.serial \(sign) serial",
        ]
    }

    private static let texts = [
        "name BEGINSWITH 'a'", "name BEGINSWITH[cd] 'A'", "name ENDSWITH[c] 'A'", "name CONTAINS[cd] 'n'",
        "name CONTAINS 'é'", "name LIKE 'a?c'", "name LIKE[cd] '*N*'", "name LIKE 'a\\\\*b'", "name MATCHES '[0-9]+'",
        "name MATCHES[c] 'AN+A'", "name == ''", "name.length > 3", "name == note", "code BETWEEN {'a', 'b'}",
        "name IN {'é', '10', 'none'}", "'ab' IN {'ab', 'cd'}", "lowercase:(name) == 'anna'",
        "uppercase:(name) == 'ANNA'", "name CONTAINS note", "note == '100%'", "name BEGINSWITH \"o'\"",
    ]

    private static let logic = [
        "name == nil", "name != nil", "NOT name == nil", "NOT (name == 'anna')", "home == nil OR boss == nil",
        "home != nil AND boss == nil", "NOT (home == nil AND (boss == nil OR serial < 20))", "TRUEPREDICATE",
        "FALSEPREDICATE OR serial < 3", "isOpen == YES", "isOpen != YES", "isOpen == NO", "serial BETWEEN {5, 12}",
        "NOT serial BETWEEN {5, 12}", "serial IN {1, 2, 50}", "NOT serial IN {1, 2, 50}", "serial IN {}",
        "TERNARY(isOpen == YES, serial, count) > 3", "entity == 'Worker'", "wage > 3", "title != nil",
    ]

    private static let paths = [
        "home.city == 'ab'", "home.height > 1 AND boss != nil", "boss.boss.name BEGINSWITH[cd] 'a'",
        "boss.home.serial == home.serial", "boss == SELF", "ANY friends.serial > 20", "SOME friends.serial == 3",
        "ANY friends.name CONTAINS[cd] 'a'", "ALL friends.serial < 60", "NONE friends.name == nil",
        "NONE friends.serial > 9",
        "ALL friends.home.city != nil", "ANY visits.serial == 2", "ANY home.people.serial == 5",
        "ANY friends.boss.home.city LIKE '*a*'", "ANY reports.friends.serial < 30",
        "home.people.@count > 20", "boss.friends.@count > 1", "3 IN friends.serial",
        "ANY friends.serial IN {1, 2, 3, 4, 5}",
        "ANY friends == boss", "boss IN friends",
    ]

    private static let aggregates = [
        "friends.@count == 2", "friends.@count == 0", "reports.@count > 0 AND NOT name == nil",
        "friends.@max.ratio > 3",
        "friends.@min.serial < 4", "friends.@sum.count > 3", "friends.@avg.girth > 2", "count:(friends) > 2",
        "SUBQUERY(friends, $f, $f.serial > 10 AND $f.home.city != nil).@count > 1",
        "SUBQUERY(reports, $r, ANY $r.friends.serial < 9).@count > 0",
        "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.serial < 40).@count > 1).@count > 0",
        "SUBQUERY(friends, $f, $f.serial > serial).@count == friends.@count",
        "SUBQUERY(home.people, $p, $p.wage > 3).@count > 1",
    ]

    private static let numbers = [
        "ratio * 2 > part + 1", "ratio / 2 < 1", "serial - count > 10", "modulus:by:(serial, 3) == 0",
        "abs:(count) == 3",
        "large == -3", "sqrt:(serial) > 5", "price * 2 == 5", "bitwiseAnd:with:(serial, 1) == 1", "-count > 1",
        "now() > seen",
        "seen == nil OR born < CAST(1000.5, 'NSDate')", "floor:(ratio) == 2", "ceiling:(ratio) == 3",
    ]

    private static var bound: [Condition] {
        [
            ("Person", "seen > %@", [Date(timeIntervalSinceReferenceDate: 3000)]),
            (
                "Person", "seen BETWEEN %@",
                [[Date(timeIntervalSinceReferenceDate: 1000), Date(timeIntervalSinceReferenceDate: 6003)]]
            ),
            ("Person", "token == %@", [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))]),
            ("Person", "blob == %@", [Data([1, 1])]), ("Person", "link == %@", [URL(string: "https://example.org/2")!]),
            ("Person", "%K >= %d AND %K != %@", ["serial", 9, "name", "anna"]),
            ("Person", "price IN %@", [[NSDecimalNumber(string: "2.25"), 3]]),
            ("Person", "name IN[c] %@", [["ANNA", "É"]]),
            ("Person", "ANY friends.token IN %@", [[UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3))]]),
            ("Worker", "wage == nil OR title == ''", []), ("Worker", "boss.wage > wage", []),
            ("Worker", "ANY friends.wage > 3", []), ("Place", "people.@count > 20", []),
            ("Place", "ANY visitors.serial < 20", []),
            ("Place", "people.@max.seen > %@", [Date(timeIntervalSinceReferenceDate: 9000)]),
            ("Place", "city MATCHES '.*a.*' OR height == nil", []),
        ]
    }

    private static var conditions: [Condition] {
        (comparisons + texts + logic + paths + aggregates + numbers).map { ("Person", $0, []) } + bound
    }

    private static let orders: [[(key: String, ascending: Bool)]] = [
        [("serial", true)], [("serial", false)], [("name", true), ("serial", true)],
        [("name", false), ("serial", false)],
        [("home.city", true), ("serial", true)], [("boss.name", false), ("seen", true), ("serial", true)],
        [("price", true), ("isOpen", false), ("serial", true)], [("ratio", false), ("part", true), ("serial", false)],
    ]
    private static let ordersOfPlaces: [[(key: String, ascending: Bool)]] = [
        [("city", true), ("serial", true)], [("height", false), ("serial", true)],
    ]

    @Test func queriesFindWhatFetchesFindInTheirOrder() throws {
        let folder = try TemporaryFolder()
        let (url, copy) = (folder.file("Store.sqlite"), folder.file("Copy.sqlite"))
        let make = try #require(ValueStores.named.first { $0.name == "people" }).make
        let description = try make(url)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        let store = try OpenStore(url)
        let conditions = Self.conditions
        var (answers, refusals) = (0, 0)
        try QuerySample.open(copy, description) { context in
            for (number, condition) in conditions.enumerated() {
                let orders = condition.entity == "Place" ? Self.ordersOfPlaces : Self.orders
                let order = orders[number % orders.count]
                let request = NSFetchRequest<NSManagedObject>(entityName: condition.entity)
                request.predicate = NSPredicate(format: condition.format, argumentArray: condition.arguments)
                request.sortDescriptors = order.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending) }
                request.includesSubentities = number % 5 > 0
                var query = store.query(entity: condition.entity)
                query.predicate = condition.format
                query.arguments = condition.arguments
                query.sortKeys = order.map { .init($0.key, ascending: $0.ascending) }
                query.columns = []
                query.includesSubentities = number % 5 > 0
                if number % 3 == 0 {
                    (request.fetchOffset, query.offset) = (2, 2)
                    (request.fetchLimit, query.limit) = (20, 20)
                }
                let wanted = Result { try context.fetch(request).map { $0.objectID.uriRepresentation() } }
                let found = Result { try query.rows().map(\.uri) }
                switch (found, wanted) {
                case (.success(let found), .success(let wanted)):
                    #expect(found == wanted, "\(condition.format), \(order)")
                    let (counted, expected) = (try query.count(), try context.count(for: request))
                    #expect(counted == expected, "\(condition.format)")
                    answers += 1
                case (.failure, .failure): refusals += 1
                case (.failure(let error), .success(let wanted)):
                    Issue.record("\(condition.format): \(error), fetched \(wanted.count)")
                case (.success(let found), .failure(let error)):
                    Issue.record("\(condition.format): found \(found.count), the fetch fails: \(error)")
                }
            }
        }
        #expect(answers >= 120)
        #expect(refusals <= 8)
    }
}
#endif
