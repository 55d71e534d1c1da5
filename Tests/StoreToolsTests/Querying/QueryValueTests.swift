#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

@Suite struct QueryValueTests {
    /// Compares every value of every row with what fetches give.
    private func compare(_ url: URL, _ description: NSManagedObjectModel, _ model: Model?) throws -> Int {
        let store = try OpenStore(url, model: model)
        var compared = 0
        try QuerySample.open(url, description) { context in
            for entity in description.entities {
                let name = try #require(entity.name)
                let query = store.query(entity: name)
                var rows: [String: StoreQuery.Row] = [:]
                try query.forEach {
                    rows[$0.uri.absoluteString] = $0
                    return true
                }
                let objects = try context.fetchAll(name)
                #expect(rows.count == objects.count)
                let count = try query.count()
                #expect(count == objects.count)
                for object in objects {
                    let row = try #require(rows[object.objectID.uriRepresentation().absoluteString])
                    #expect(row.entity == object.entity.name)
                    for property in entity.properties where !property.isTransient {
                        let attribute = property as? NSAttributeDescription
                        if (property as? NSRelationshipDescription)?.isToMany == true { continue }
                        if attribute?.attributeType == .transformableAttributeType { continue }
                        #expect(
                            row[property.name] == QuerySample.expected(object, property), "\(row.uri) \(property.name)")
                        compared += 1
                    }
                }
            }
        }
        return compared
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: RealStores.all)
    func valuesOfApplesStoresEqualThoseOfFetches(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        // The model is loaded before the copy is opened, and the query reads another copy.
        let other = try RealStores.copy(of: sample)
        defer { other.remove() }
        let description = try sample.loadModel(other)
        let model =
            try sample.isOld ? Model(contentsOf: RealStores.folder.appendingPathComponent(#require(sample.model))) : nil
        let compared = try compare(copy.url, description, model)
        #expect(compared > 0)
    }

    @Test func valuesOfEveryTypeEqualThoseOfFetches() throws {
        let sample = try QuerySample()
        let compared = try compare(sample.url, QuerySample.model(), nil)
        #expect(compared > 100)
    }

    @Test func transformableValuesAreDescribed() throws {
        let sample = try QuerySample()
        let rows = try StoreQuery(sample.url, entity: "Book").rows()
        let size = try QuerySample.integer("SELECT length(ZNOTES) FROM ZBOOK WHERE Z_PK = 1", at: sample.url)
        let first = try #require(rows.first { $0.key == 1 })
        #expect(first["notes"] == .transformable(className: "NSArray", byteCount: size))
    }

    @Test func columnsMayLeadOverRelationships() throws {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: "Book")
        query.columns = [
            "title", "author.name", "tags.@count", "author.books.@sum.pages", "place.geo.lat", "entity", "tags.word",
            "author.books.@avg.price", "author.entity", "title.length", "shelf.books.title",
        ]
        query.sortKeys = [.init("title")]
        let rows = try query.rows()
        #expect(rows.count == 7)
        #expect(
            rows[0].values == [
                .none, .none, .integer(0), .integer(0), .none, .string("Book"), .list([]), .decimal(0), .none, .none,
                .none,
            ])
        let fourth = rows[4]
        #expect(fourth["title"] == .string("Book 4"))
        #expect(fourth["author.name"] == .string("Bob"))
        #expect(fourth["tags.@count"] == .integer(0))
        #expect(fourth["author.books.@sum.pages"] == .integer(200 + 250 + 300))
        #expect(fourth["author.books.@avg.price"] == .decimal(Decimal(string: "5.25")!))
        #expect(fourth["place.geo.lat"] == .double(4))
        #expect(fourth["author.entity"] == .string("Author"))
        #expect(fourth["title.length"] == .integer(6))
        // The relationship is ordered.
        #expect(fourth["shelf.books.title"] == .list([.string("Book 4"), .string("Book 1"), .string("Book 5")]))
        let third = rows[3]
        #expect(third["entity"] == .string("Novel"))
        guard case .list(let words)? = third["tags.word"] else {
            Issue.record("no list")
            return
        }
        #expect(Set(words) == [.string("red"), .string("green"), .string("blue")])
    }

    @Test func aRelationshipAsAColumnGivesItsMembers() throws {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: "Shelf")
        query.columns = ["books", "self", "books.@max.published"]
        let row = try #require(try query.rows().first)
        guard case .list(let books)? = row["books"], case .object(let uri, let entity)? = row["self"] else {
            Issue.record("no list")
            return
        }
        #expect(uri == row.uri && entity == "Shelf")
        #expect(row["books.@max.published"] == .date(Date(timeIntervalSinceReferenceDate: 5 * 86400)))
        let titles = try QuerySample.open(sample.url) { context in
            try context.fetchAll("Shelf")[0].mutableOrderedSetValue(forKey: "books").map {
                try #require($0 as? NSManagedObject).objectID.uriRepresentation()
            }
        }
        let uris = books.map { if case .object(let uri, _) = $0 { uri } else { URL(fileURLWithPath: "/") } }
        #expect(uris == titles)
    }

    @Test func aMissingExternalFileIsNamed() throws {
        let sample = try QuerySample()
        let folder = sample.folder.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 5)
        for name in names { try FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        var query = StoreQuery(sample.url, entity: "Book")
        query.columns = ["scan"]
        query.sortKeys = [.init("title", ascending: false)]
        let values = try query.rows().map { $0.values[0] }
        for value in values.prefix(5) {
            guard case .missingFile(let name) = value else {
                Issue.record("\(value)")
                continue
            }
            #expect(names.contains(name))
        }
        #expect(values[5] == .data(Data(repeating: 1, count: 60_000)))
        #expect(values[6] == .none)
    }

    @Test func valuesOfAnotherTypeAreNotTakenForZero() throws {
        let sample = try QuerySample()
        try QuerySample.execute(
            "UPDATE ZBOOK SET ZPAGES = 'many', ZISBN = x'0102', ZPRICE = x'00', ZPUBLISHED = 'x' WHERE Z_PK = 1;",
            at: sample.url)
        var query = StoreQuery(sample.url, entity: "Book")
        query.columns = ["pages", "isbn", "price", "published"]
        query.predicate = "title != nil"
        query.sortKeys = [.init("title")]
        query.limit = 1
        let values = try #require(try query.rows().first).values
        #expect(values[0] == .unreadable(reason: "The column contains the text \"many\"."))
        #expect(values[1] == .unreadable(reason: "The column contains 2 bytes."))
        #expect(values[2] == .unreadable(reason: "The column contains 1 bytes."))
        #expect(values[3] == .unreadable(reason: "The column contains the text \"x\"."))
    }
}
#endif
