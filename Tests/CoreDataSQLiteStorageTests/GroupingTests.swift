import CoreData
import Foundation
import MagicalRecordTestSupport
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// Groups over more rows than SQLite sorts in no time: they are put together while the rows are read. What SQLite's own
/// `GROUP BY` gives is the measure, to the last bit and in its order.
@Suite("Groups of many rows")
struct GroupingTests {
    private let store: LoggedStore
    private let context: NSManagedObjectContext

    private static let names = [
        "", "a", "A", "aa", "ä", "Zürich", "b\u{0}c", "b", "東京", String(repeating: "long ", count: 60),
    ]

    private static let prepared = Result { try PreparedStore(model()) { fill($0) } }

    init() throws {
        store = try LoggedStore(Self.model(), prepared: Self.prepared.get())
        context = store.makeContext()
        _ = store.log.selections()
    }

    private static func fill(_ context: NSManagedObjectContext) {
        var random = SystemRandomNumberGenerator()
        var shops: [NSManagedObject] = []
        for number in 0..<5 {
            shops.append(context.insert(number < 3 ? "Shop" : "Kiosk", ["number": number]))
        }
        for number in 0..<3_000 {
            let sale = context.insert("Sale", ["number": number, "day": Date(timeIntervalSinceReferenceDate: 0.5)])
            sale.setValue(number % 7 == 0 ? nil : Int.random(in: -3...3, using: &random), forKey: "region")
            sale.setValue(number % 11 == 0 ? nil : names.randomElement(using: &random), forKey: "name")
            sale.setValue(number % 5 == 0 ? nil : Double.random(in: -1e9...1e9, using: &random), forKey: "amount")
            sale.setValue(Int.random(in: -1_000...1_000, using: &random), forKey: "pieces")
            sale.setValue(NSDecimalNumber(value: Double(number) / 4), forKey: "price")
            sale.setValue(number % 13 == 0 ? nil : shops.randomElement(using: &random), forKey: "shop")
        }
    }

    private static func model() -> NSManagedObjectModel {
        let sale = LibraryModel.entity("Sale"), shop = LibraryModel.entity("Shop"), kiosk = LibraryModel.entity("Kiosk")
        sale.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("region", .integer32AttributeType),
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("amount", .doubleAttributeType),
            LibraryModel.attribute("pieces", .integer64AttributeType),
            LibraryModel.attribute("price", .decimalAttributeType),
            LibraryModel.attribute("day", .dateAttributeType),
        ]
        shop.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        shop.subentities = [kiosk]
        LibraryModel.relate(shop, "sales", many: true, sale, "shop", many: false)
        let model = NSManagedObjectModel()
        model.entities = [sale, shop, kiosk]
        return model
    }

    private func computed(_ format: String, _ type: NSAttributeType = .undefinedAttributeType)
        -> NSExpressionDescription
    {
        let description = NSExpressionDescription()
        description.name = format
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    private static let aggregates = [
        "count:(amount)", "sum:(amount)", "average:(amount)", "min:(amount)", "max:(amount)", "sum:(pieces)",
        "average:(pieces)", "min:(pieces)", "max:(pieces)", "count:(name)",
    ]
    private static let aggregatesInSQL = """
        COUNT(ZAMOUNT), SUM(ZAMOUNT), AVG(ZAMOUNT), MIN(ZAMOUNT), MAX(ZAMOUNT), SUM(ZPIECES), AVG(ZPIECES), MIN(ZPIECES), \
        MAX(ZPIECES), COUNT(ZNAME)
        """

    private func request(_ properties: [Any], by groups: [Any]) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Sale")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groups
        return request
    }

    /// Fetches, and says whether SQLite was asked for groups.
    private func fetch(_ request: NSFetchRequest<NSDictionary>) throws -> (rows: [NSDictionary], bySQLite: Bool) {
        let rows = try context.performAndWait { try context.fetch(request) }
        return (rows, store.log.selections().contains { $0.contains("GROUP BY") })
    }

    /// The values of a query as those of dictionaries, in order.
    private func plain(_ sql: String) throws -> [[NSObject?]] {
        let connection = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare(sql)
        var rows: [[NSObject?]] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { column -> NSObject? in
                    switch statement.type(column) {
                    case 1: NSNumber(value: statement.integer(column))
                    case 2: NSNumber(value: statement.double(column))
                    case 3: statement.text(column).map { NSString(string: $0) }
                    default: nil
                    }
                })
        }
        return rows
    }

    private func values(_ rows: [NSDictionary], _ keys: [String]) -> [[NSObject?]] {
        rows.map { row in
            keys.map { key in
                if let text = row[key] as? String { return NSString(string: text) }
                return row[key] as? NSNumber
            }
        }
    }

    @Test("are SQLite's groups", arguments: [["region"], ["name"], ["name", "region"], ["region", "name"]])
    func agree(_ keys: [String]) throws {
        let found = try fetch(request(keys + Self.aggregates.map { computed($0) }, by: keys))
        let columns = keys.map { "Z" + $0.uppercased() }.joined(separator: ", ")
        let expected = try plain("SELECT \(columns), \(Self.aggregatesInSQL) FROM ZSALE GROUP BY \(columns)")
        #expect(values(found.rows, keys + Self.aggregates) == expected)
        #expect(expected.count > 7 && !found.bySQLite)
    }

    @Test func withACondition() throws {
        let request = request(["name", computed("sum:(pieces)")], by: ["name"])
        request.predicate = NSPredicate(format: "pieces > %d AND name BEGINSWITH %@", 10, "a")
        let found = try fetch(request)
        let expected = try plain(
            "SELECT ZNAME, SUM(ZPIECES) FROM ZSALE WHERE ZPIECES > 10 AND ZNAME IN ('a', 'aa') GROUP BY ZNAME")
        #expect(values(found.rows, ["name", "sum:(pieces)"]) == expected)
        #expect(expected.count == 2 && !found.bySQLite)
    }

    @Test func ofNoRows() throws {
        let request = request(["name", computed("sum:(pieces)")], by: ["name"])
        request.predicate = NSPredicate(format: "number < 0")
        #expect(try fetch(request).rows.isEmpty)
    }

    @Test func byObjects() throws {
        let found = try fetch(request(["shop", "shop.number", computed("count:(self)")], by: ["shop", "shop.number"]))
        let expected = try plain(
            """
            SELECT s.ZNUMBER, COUNT(*) FROM ZSALE t LEFT JOIN ZSHOP s ON s.Z_PK = t.ZSHOP
            GROUP BY t.ZSHOP, s.ZNUMBER
            """)
        #expect(values(found.rows, ["shop.number", "count:(self)"]) == expected)
        #expect(expected.count == 6 && !found.bySQLite)
        let entities = found.rows.map { ($0["shop"] as? NSManagedObjectID)?.entity.name }
        #expect(entities.count { $0 == "Shop" } == 3 && entities.count { $0 == "Kiosk" } == 2)
    }

    /// Computed columns take their parameters along.
    @Test func ofComputedValues() throws {
        let sum = computed("sum:(pieces + 1)", .integer64AttributeType)
        let found = try fetch(request(["region", sum], by: ["region"]))
        let expected = try plain("SELECT ZREGION, SUM(ZPIECES + 1) FROM ZSALE GROUP BY ZREGION")
        #expect(values(found.rows, ["region", "sum:(pieces + 1)"]) == expected)
    }

    /// Absent and present values in one order, whatever comes behind.
    @Test func aloneOfTextWithZeros() throws {
        for (number, name) in ["b", "b\u{0}", "b\u{0}\u{0}", "b\u{0}c", "b\u{1}", "bb"].enumerated() {
            context.insert("Sale", ["number": -1 - number, "name": name, "region": 100])
        }
        try context.save()
        let request = request(["name", "region", computed("count:(self)")], by: ["name", "region"])
        request.predicate = NSPredicate(format: "region == 100 OR name == nil")
        let found = try fetch(request)
        let expected = try plain(
            """
            SELECT ZNAME, ZREGION, COUNT(*) FROM ZSALE WHERE ZREGION = 100 OR ZNAME IS NULL GROUP BY ZNAME, ZREGION
            """)
        #expect(values(found.rows, ["name", "region", "count:(self)"]) == expected)
        #expect(expected.count == 14 && !found.bySQLite)
    }

    @Test func keepsTheSignOfZero() throws {
        context.insert("Sale", ["number": -1, "region": 100, "amount": 0.0])
        try context.save()
        let low = computed("min:(amount * -1)", .doubleAttributeType)
        let found = try fetch(request(["region", low], by: ["region"]))
        let expected = try plain("SELECT MIN(ZAMOUNT * -1) FROM ZSALE WHERE ZREGION = 100")[0][0] as? NSNumber
        let value = found.rows.last?["min:(amount * -1)"] as? Double
        #expect(value == 0 && value?.sign == expected?.doubleValue.sign && !found.bySQLite)
    }

    // MARK: Left to SQLite

    @Test func inAnOrderOrInPart() throws {
        let sorted = request(["name", computed("sum:(pieces)")], by: ["name"])
        sorted.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        let page = request(["name", computed("sum:(pieces)")], by: ["name"])
        page.fetchLimit = 2
        page.fetchOffset = 1
        let having = request(["name", computed("sum:(pieces)")], by: ["name"])
        having.havingPredicate = NSPredicate(format: "name > 'a'")
        for request in [sorted, page, having] {
            let found = try fetch(request)
            #expect(found.bySQLite && !found.rows.isEmpty)
        }
        let names = try fetch(sorted).rows.map { $0["name"] as? String }
        #expect(
            names
                == (Self.names.map { $0 as String? }.sorted {
                    Array($0!.utf8).lexicographicallyPrecedes(Array($1!.utf8))
                }.reversed() + [nil]))
        #expect(try fetch(page).rows.count == 2)
    }

    /// Dates and decimal numbers are whole numbers in one row and fractions in the next.
    @Test func byDatesAndOfDecimals() throws {
        let days = try fetch(request(["day", computed("count:(self)")], by: ["day"]))
        #expect(days.bySQLite && days.rows.count == 1 && days.rows[0]["count:(self)"] as? Int == 3_000)
        let prices = try fetch(request(["region", computed("sum:(price)")], by: ["region"]))
        #expect(prices.bySQLite && prices.rows.count == 8)
    }

    @Test(.slow) func thatAreTooMany() throws {
        let more = NSBatchInsertRequest(
            entityName: "Sale", objects: (3_000..<20_000).map { ["number": $0, "pieces": 1] })
        try context.execute(more)
        _ = store.log.selections()
        let found = try fetch(request(["number", computed("sum:(pieces)")], by: ["number"]))
        #expect(found.bySQLite && found.rows.count == 20_000)
        #expect(found.rows.map { $0["number"] as? Int } == Array(0..<20_000))
    }

    /// What another program has put in, contrary to the column's type.
    @Test func ofOtherTypesThanTheModelSays() throws {
        let connection = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 5)
        try connection.execute("UPDATE ZSALE SET ZPIECES = 0.25 WHERE ZNUMBER = 2999")
        try connection.execute("UPDATE ZSALE SET ZREGION = 1.5 WHERE ZNUMBER = 2998")
        for keys in [["name"], ["region"]] {
            let found = try fetch(request(keys + [computed("sum:(pieces)", .doubleAttributeType)], by: keys))
            #expect(found.bySQLite && found.rows.count > 7)
        }
    }

    @Test func thatOverflow() throws {
        for number in 0..<2 { context.insert("Sale", ["number": number, "region": 9, "pieces": Int.max]) }
        try context.save()
        #expect(throws: (any Error).self) {
            try fetch(request(["region", computed("sum:(pieces)", .integer64AttributeType)], by: ["region"]))
        }
        // An average is a fraction anyway.
        let found = try fetch(request(["region", computed("average:(pieces)")], by: ["region"]))
        let expected = try plain("SELECT ZREGION, AVG(ZPIECES) FROM ZSALE GROUP BY ZREGION")
        #expect(values(found.rows, ["region", "average:(pieces)"]) == expected && found.bySQLite)
    }

    /// SQLite before 3.43 adds rounded numbers up then.
    @Test func ofNumbersThatFractionsCannotBe() throws {
        for pieces in [-9_007_199_254_740_989, 18_014_398_509_481_981] {
            context.insert("Sale", ["number": pieces, "region": 9, "pieces": pieces])
        }
        try context.save()
        let found = try fetch(request(["region", computed("average:(pieces)")], by: ["region"]))
        let expected = try plain("SELECT ZREGION, AVG(ZPIECES) FROM ZSALE GROUP BY ZREGION")
        #expect(values(found.rows, ["region", "average:(pieces)"]) == expected && found.bySQLite)
    }

    @Test func ofFewRowsEach() throws {
        let found = try fetch(request(["number", computed("sum:(amount)")], by: ["number"]))
        #expect(found.bySQLite && found.rows.count == 3_000)
    }

    /// SQLite then reads the rows in another order, in which a sum of fractions is another one.
    @Test func thatAnIndexHasInPart() throws {
        let connection = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 5)
        try connection.execute("CREATE INDEX Regions ON ZSALE (ZREGION, ZPIECES)")
        try connection.execute("CREATE INDEX Numbers ON ZSALE (ZNUMBER)")
        let keys = ["region", "name"]
        for condition in ["TRUEPREDICATE", "number > 100"] {
            let request = request(keys + Self.aggregates.map { computed($0) }, by: keys)
            request.predicate = NSPredicate(format: condition)
            let found = try fetch(request)
            let filter = condition == "TRUEPREDICATE" ? "" : "WHERE ZNUMBER > 100"
            let expected = try plain(
                "SELECT ZREGION, ZNAME, \(Self.aggregatesInSQL) FROM ZSALE \(filter) GROUP BY ZREGION, ZNAME")
            #expect(values(found.rows, keys + Self.aggregates) == expected)
        }
    }

    /// Where an index has the rows in order, SQLite need not sort them.
    @Test func thatAnIndexHas() throws {
        let connection = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 5)
        try connection.execute("CREATE INDEX Regions ON ZSALE (ZREGION, ZPIECES)")
        let found = try fetch(request(["region", computed("sum:(pieces)")], by: ["region"]))
        #expect(found.bySQLite && found.rows.count == 8)
    }
}
