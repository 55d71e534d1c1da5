#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// The budgets of round trips: the time of an operation depends on them more than on anything else.
@Suite("Round trips to PostgreSQL", .enabled(if: TestServer.isAvailable))
struct RoundTripTests {
    private let store: ServerStore

    init() throws { store = try ServerStore() }

    private func makeTags(_ count: Int) throws -> BatchOutcome {
        try store.insert("Tag", (0..<count).map { ["word": "w\($0)", "weight": $0] })
    }

    // MARK: Reading

    @Test func `Finding an object is one round trip`() throws {
        _ = try makeTags(100)
        var fetch = try store.fetch("Tag", "word == 'w42'")
        fetch.limit = 1
        var found: [StoredRow] = []
        let trips = try store.roundTrips { found = try store.rows(fetch) }
        #expect(found.map { $0.number("weight") } == [42])
        #expect(trips == 1)
    }

    @Test func `A fetch is one round trip, whatever the number of objects`() throws {
        _ = try makeTags(5000)
        let fetch = try store.fetch("Tag", "weight >= 10", sort: ["weight"])
        var rows: [StoredRow] = []
        let trips = try store.roundTrips { rows = try store.rows(fetch) }
        #expect(rows.map { $0.number("weight") } == (10..<5000).map(Double.init))
        #expect(trips == 1)
        var references = 0
        let referenceTrips = try store.roundTrips { references = try store.session.fetchReferences(fetch).count }
        #expect(references == 4990)
        #expect(referenceTrips == 1)
    }

    @Test func `A count is one round trip`() throws {
        _ = try makeTags(10)
        var count = 0
        let trips = try store.roundTrips { count = try store.session.countRows(store.fetch("Tag", "weight < 4")) }
        #expect(count == 4)
        #expect(trips == 1)
    }

    @Test(arguments: [1, 1000, 2500]) func `Faults are read a thousand or more in a round trip`(_ count: Int) throws {
        let keys = ContiguousArray(try makeTags(count).rows.map(\.key))
        let collector = RowCollector()
        let trips = try store.roundTrips {
            try store.session.readRows(keys: keys, of: Bookshop.layout("Tag"), into: collector)
        }
        #expect(Set(collector.rows.map(\.key)) == Set(keys))
        #expect(trips <= (count + 999) / 1000)
    }

    @Test func `A prefetched relationship is one round trip for all objects`() throws {
        let builder = SaveBuilder()
        for number in 0..<300 {
            let author = builder.insert("Author", ["name": "a\(number)"])
            for part in 0..<3 { builder.insert("Draft", ["text": "\(number).\(part)", "author": author]) }
        }
        _ = try store.session.save(builder.changes)
        let authors = ContiguousArray(try store.rows(store.fetch("Author")).map(\.key))
        let collector = RowCollector()
        var owners: Set<Int64> = []
        let trips = try store.roundTrips {
            try store.session.readToManyRows(
                Bookshop.relationship("drafts", of: "Author"), of: Bookshop.layout("Author"), keys: authors,
                into: collector
            ) { owners.insert($0) }
        }
        #expect(collector.rows.count == 900)
        #expect(owners == Set(authors))
        #expect(trips == 1)
    }

    // MARK: Writing

    @Test func `A save is one round trip, whatever it writes`() throws {
        let first = SaveBuilder()
        let author = first.insert("Author", ["name": "Ada"])
        first.insert("Draft", ["text": "one", "author": author])
        first.insert("Draft", ["text": "two"])
        for number in 0..<3 { first.insert("Tag", ["word": "t\(number)"]) }
        _ = try store.session.save(first.changes)

        let second = SaveBuilder()
        let tags = try store.rows(store.fetch("Tag", sort: ["word"]))
        let ada = try #require(try store.rows(store.fetch("Author")).first)
        second.update(tags[0], ["word": "changed"])
        second.update(tags[1], ["weight": 2])
        second.delete(tags[2])
        second.update(ada, ["name": "Ada L."])
        for number in 0..<50 { second.insert("Draft", ["text": "new \(number)", "author": ada.reference]) }
        let book = second.insert("Book", ["title": "Notes", "author": ada.reference])
        second.link(book, "Book", "tags", add: [tags[0].reference, tags[1].reference])
        // The first key of a table is a round trip: see below.
        _ = try store.engine.reserveKeys(count: 1, of: Bookshop.layout("Book"))
        let trips = try store.roundTrips { _ = try store.session.save(second.changes) }
        #expect(trips == 1)
        #expect(try store.rows(store.fetch("Draft")).count == 52)
        #expect(try store.rows(store.fetch("Tag", sort: ["word"])).map { $0.text("word") } == ["changed", "t1"])
    }

    @Test func `A conflict is found by a second round trip`() throws {
        try store.insert("Tag", [["word": "a", "weight": 1]])
        let old = try #require(try store.rows(store.fetch("Tag")).first)
        let other = SaveBuilder()
        other.update(old, ["weight": 2])
        _ = try store.session.save(other.changes)
        let late = SaveBuilder()
        late.update(old, ["weight": 3])
        var conflicts: StoreConflicts?
        let trips = store.roundTrips {
            conflicts = #expect(throws: StoreConflicts.self) { try store.session.save(late.changes) }
        }
        #expect(conflicts?.changed.map(\.key) == [old.key])
        #expect(trips == 2)
        #expect(try store.rows(store.fetch("Tag")).map { $0.number("weight") } == [2])
    }

    @Test func `New keys are less than a hundredth of a round trip for each save`() throws {
        let count = 400
        let trips = try store.roundTrips {
            for number in 0..<count {
                let builder = SaveBuilder()
                builder.insert("Draft", ["text": "\(number)"])
                _ = try store.session.save(builder.changes)
            }
        }
        #expect(trips <= count + count / 100)
        #expect(try store.session.countRows(store.fetch("Draft")) == count)
    }

    @Test func `Keys for many objects are one round trip`() throws {
        let layout = Bookshop.layout("Draft")
        var keys: Set<Int64> = []
        let trips = try store.roundTrips { keys = Set(try store.engine.reserveKeys(count: 25_000, of: layout)) }
        #expect(keys.count == 25_000)
        #expect(trips == 1)
    }
}
#endif
