#if PostgreSQL
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

@Suite("Batches in PostgreSQL", .enabled(if: TestServer.isAvailable))
struct ServerBatchTests {
    private static func update(_ fetch: StoreFetch, _ name: String, _ value: BatchAssignment.Value) -> BatchWork {
        BatchWork(.update(fetch, [BatchAssignment(name: name, value: value)]))
    }

    // MARK: Round trips

    /// Many rows are copied: two more round trips.
    @Test(arguments: [(500, 2), (5001, 4)])
    func `Rows are inserted in one round trip or three, and one for their keys`(_ count: Int, _ expected: Int) throws {
        let store = try ServerStore()
        let rows: [[String: Any]] = (0..<count).map { ["int": $0, "text": "row \($0)"] }
        let trips = try store.roundTrips {
            let outcome = try store.insert("Sample", rows)
            #expect(outcome.count == count)
        }
        #expect(trips == expected)
        let found = try store.rows(store.fetch("Sample", sort: ["int"]))
        #expect(found.map { $0.text("text") } == (0..<count).map { "row \($0)" })
        #expect(Set(found.map(\.key)).count == count)
    }

    @Test func `An update is two round trips`() throws {
        let store = try ServerStore()
        try store.insert("Tag", [["word": "a", "weight": 1], ["word": "b", "weight": 2]])
        let work = Self.update(try store.fetch("Tag", "weight > 1"), "word", .constant("c"))
        let trips = try store.roundTrips {
            let outcome = try store.session.run(work)
            #expect(outcome.count == 1)
        }
        #expect(trips == 2)
        #expect(try store.rows(store.fetch("Tag", sort: ["weight"])).map { $0.text("word") } == ["a", "c"])
    }

    @Test func `A deletion is two round trips, and one for each step of a cascade`() throws {
        let store = try ServerStore()
        try store.insert("Tag", [["word": "a"], ["word": "b"]])
        try store.insert("Author", [["name": "Ada"]])
        try store.insert("Draft", [["text": "1"], ["text": "2"]])
        let author = StandIn(
            try store.session.fetchReferences(store.fetch("Author"))[0], storeUUID: store.identifier)
        _ = try store.session.run(Self.update(try store.fetch("Draft", "text == '1'"), "author", .constant(author)))
        let tags = BatchWork(.delete(try store.fetch("Tag")))
        let tagTrips = try store.roundTrips { _ = try store.session.run(tags) }
        #expect(tagTrips == 2)
        let authors = BatchWork(.delete(try store.fetch("Author")))
        let authorTrips = try store.roundTrips { _ = try store.session.run(authors) }
        #expect(authorTrips == 3)
        #expect(try store.rows(store.fetch("Draft")).map { $0.text("text") } == ["2"])
    }

    // MARK: Equal rows

    private static let overwriting: [(BatchConflictRule, Int, Double?, Int)] = [
        (.keepStored, 2, 1, 1), (.overwriteGiven, 4, 3, 3), (.overwrite, 4, nil, 3),
    ]

    @Test(arguments: overwriting)
    func `A batch may overwrite its own rows`(_ expected: (BatchConflictRule, Int, Double?, Int)) throws {
        let store = try ServerStore()
        let rows: [[String: Any]] = [
            ["word": "a", "weight": 1], ["word": "b", "weight": 9], ["word": "a", "weight": 3], ["word": "a"],
        ]
        let outcome = try store.insert("Tag", rows, expected.0)
        #expect(outcome.count == expected.1)
        let found = try store.rows(store.fetch("Tag", sort: ["word"]))
        #expect(found.map { $0.text("word") } == ["a", "b"])
        #expect(found[0].number("weight") == expected.2)
        #expect(found[0].version == UInt32(expected.3))
    }

    @Test func `Rows that exist are overwritten together in two round trips, and one for keys`() throws {
        let store = try ServerStore()
        let rows: [[String: Any]] = (0..<3000).map { ["word": "w\($0)", "weight": $0] }
        let first = try store.insert("Tag", rows)
        let more: [[String: Any]] = (1000..<4000).map { ["word": "w\($0)", "weight": -$0] }
        let trips = try store.roundTrips { _ = try store.insert("Tag", more, .overwriteGiven) }
        #expect(trips <= 3)
        let found = try store.rows(store.fetch("Tag"))
        #expect(found.count == 4000)
        #expect(found.count { $0.version == 2 } == 2000)
        let known = Set(first.rows.map(\.key))
        #expect(found.filter { known.contains($0.key) }.count == 3000)
        let weights = found.reduce(0.0) { $0 + ($1.number("weight") ?? 0) }
        #expect(weights == Double((0..<1000).reduce(0, +) - (1000..<4000).reduce(0, +)))
    }

    // MARK: Values that do not fit

    @Test func `A computed number that does not fit is an error, and nothing is changed`() throws {
        let store = try ServerStore()
        try store.insert("Sample", [["short": 1], ["short": 30_000]])
        let work = Self.update(
            try store.fetch("Sample"), "short", .expression(try Bookshop.expression("short * 2")))
        let error = #expect(throws: NSError.self) { try store.session.run(work) }
        #expect(error?.code == NSManagedObjectValidationError)
        #expect(try store.rows(store.fetch("Sample", sort: ["short"])).map { $0.number("short") } == [1, 30_000])
    }

    @Test(arguments: ["text", "date"]) func `A value that PostgreSQL does not have is an error`(_ key: String) throws {
        let store = try ServerStore()
        let value: Any = key == "text" ? "a\u{0}b" : Date(timeIntervalSinceReferenceDate: -1e12)
        let trips = store.roundTrips {
            let error = #expect(throws: NSError.self) { try store.insert("Sample", [[key: value]]) }
            #expect(error?.code == NSManagedObjectValidationError)
            #expect("\(error?.userInfo ?? [:])".contains("Sample.\(key)") || "\(error as Any)".contains(key))
        }
        #expect(trips == 0)
        #expect(try store.session.countRows(store.fetch("Sample")) == 0)
    }
}
#endif
