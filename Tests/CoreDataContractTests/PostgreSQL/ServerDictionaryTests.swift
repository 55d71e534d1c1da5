#if PostgreSQL
import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

@Suite("Dictionaries from PostgreSQL", .enabled(if: TestServer.isAvailable))
struct ServerDictionaryTests {
    private nonisolated(unsafe) static let rows: [[String: Any]] = [
        [
            "short": -3, "int": 70_000, "long": Int64.max, "flag": true, "double": 0.1, "float": Float(1.5),
            "date": Date(timeIntervalSinceReferenceDate: 700_000_000.125), "text": "ß’😀",
            "link": URL(string: "https://example.com/ä") ?? URL(fileURLWithPath: "/"), "bytes": Data([0, 255, 7]),
            "uuid": UUID(), "decimal": Decimal(string: "-0.000123456789012345678901234567") ?? 0,
        ],
        ["short": 5, "int": 2, "long": Int64(4), "flag": false, "double": -2.5, "decimal": 2, "text": ""],
        ["short": 5, "int": 1, "long": Int64(-4), "decimal": Decimal(string: "12.5") ?? 0],
        [:],
    ]

    /// The same rows in PostgreSQL and in memory.
    private struct Pair {
        let server: ServerStore
        let memory: any StoreSession
        private let builder = SaveBuilder()

        init() throws {
            server = try ServerStore()
            try server.insert("Sample", ServerDictionaryTests.rows)
            let engine = MemoryEngine(layouts: Bookshop.layouts) { StandIn($0, storeUUID: "memory") }
            memory = engine.session()
            for row in ServerDictionaryTests.rows {
                builder.insert("Sample", row.merging(["count": 7]) { given, _ in given })
            }
            _ = try memory.save(builder.changes)
        }

        func answers(_ table: FetchTable, sort: [String] = []) throws -> ([NSDictionary], [NSDictionary]) {
            let fetch = try server.fetch("Sample", sort: sort)
            var other = fetch
            other.addTable(table, source: server)
            let found = try server.dictionaries(fetch, table)
            let expected = try memory.fetchDictionaries(other) { $0 }
            return (found.map { $0 as NSDictionary }, expected.map { $0 as NSDictionary })
        }
    }

    private static func computed(_ format: String, _ kind: CellKind?) throws -> FetchColumn {
        FetchColumn(name: format, content: .expression(try Bookshop.expression(format), kind))
    }

    @Test func `Values of every kind are those of memory`() throws {
        let (found, expected) = try Pair().answers(FetchTable(), sort: ["int"])
        #expect(found == expected)
        #expect(found.count == 4)
        for (one, two) in zip(found, expected) {
            for (name, value) in two {
                #expect(one[name].map { "\(type(of: $0))" } == "\(type(of: value))", "\(name)")
            }
        }
    }

    @Test(arguments: [
        "sum:(short)", "sum:(decimal)", "sum:(double)", "average:(decimal)", "average:(int)", "average:(double)",
        "min:(date)", "max:(text)", "min:(decimal)", "count:(flag)", "max:(flag)", "sum:(int) * 2", "max:(float)",
    ])
    func `Aggregates are those of memory`(_ format: String) throws {
        let pair = try Pair()
        let isNumber = !format.contains("date") && !format.contains("text")
        for kind in isNumber ? [CellKind?.none, .double] : [nil] {
            var table = FetchTable()
            table.columns = [try Self.computed(format, kind)]
            let (found, expected) = try pair.answers(table)
            #expect(found == expected, "\(format) \(kind.map { "\($0)" } ?? "")")
        }
    }

    @Test func `Groups are sorted by their mean of decimals`() throws {
        let server = try ServerStore()
        try server.insert(
            "Sample", [(1, 1), (1, 2), (1, 2), (2, 1), (3, 9)].map { ["int": $0.0, "decimal": Decimal($0.1)] })
        var table = FetchTable()
        let path = FetchColumn(name: "int", content: .path(["int"]))
        let mean = FetchColumn(name: "mean", content: .expression(try Bookshop.expression("average:(decimal)"), nil))
        table.groups = [path]
        table.columns = [path, mean]
        table.having = try NSPredicate.parse("$mean < 5")
        let found = try server.dictionaries(server.fetch("Sample", sort: ["mean"]), table)
        #expect(found.map { $0["int"] as? Int } == [2, 1])
        #expect(found.last?["mean"] as? NSDecimalNumber == NSDecimalNumber(decimal: Decimal(5) / Decimal(3)))
    }

    @Test func `A fetch of dictionaries is one round trip`() throws {
        let server = try ServerStore()
        try server.insert("Sample", Self.rows)
        var table = FetchTable()
        table.columns = [FetchColumn(name: "int", content: .path(["int"]))]
        for limit in 1...3 {
            var fetch = try server.fetch("Sample", "int > \(limit - 1)", sort: ["int"])
            fetch.limit = 1
            fetch.offset = limit - 1
            let trips = try server.roundTrips { _ = try server.dictionaries(fetch, table) }
            #expect(trips == 1)
        }
    }
}
#endif
