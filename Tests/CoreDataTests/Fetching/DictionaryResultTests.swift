import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Dictionary results: columns, expressions, groups.
@Suite
struct DictionaryResultTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try FetchLibrary() }

    private func request(
        _ properties: [Any]?, _ format: String? = nil, groupedBy groups: [Any]? = nil, sortedBy key: String? = nil
    ) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groups
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return request
    }

    private func computed(
        _ name: String, _ format: String, _ type: NSAttributeType = .integer64AttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    @Test func columns() throws {
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Book"])
        let title = try #require(entity.attributesByName["title"])
        let rows = try context.fetch(
            request(["pages", title, "author", "author.name"], "pages IN {3, 4}", sortedBy: "pages"))
        #expect(rows[0]["pages"] as? Int == 3)
        #expect(rows[0]["title"] as? String == "Book 03")
        #expect((rows[0]["author"] as? NSManagedObjectID)?.entity.name == "Author")
        #expect(rows[0]["author.name"] as? String == "Cid")
        // Absent values are left out.
        #expect(Set(rows[1].allKeys.compactMap { $0 as? String }) == ["pages", "title"])
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func allColumns() throws {
        let row = try context.fetch(request(nil, "pages == 1"))[0]
        #expect(row["title"] as? String == "Book 01" && row["inPrint"] as? Bool == false)
        #expect(row["author"] is NSManagedObjectID && row["price"] is NSDecimalNumber)
        #expect(row["tags"] == nil && row["cover"] == nil)
    }

    @Test func polymorphicColumns() throws {
        let authors = NSFetchRequest<NSDictionary>(entityName: "Author")
        authors.resultType = .dictionaryResultType
        authors.propertiesToFetch = ["pet", "pet.name"]
        authors.predicate = NSPredicate(format: "pet != nil")
        let row = try context.fetch(authors)[0]
        #expect((row["pet"] as? NSManagedObjectID)?.entity.name == "Puppy")
        #expect(row["pet.name"] as? String == "Puppy 7")
    }

    @Test func aggregates() throws {
        let row = try context.fetch(
            request([
                computed("sum", "sum:(pages)"), computed("low", "min:(pages)"), computed("high", "max:(pages)"),
                computed("mean", "average:(pages)", .doubleAttributeType), computed("count", "count:(pages)"),
                computed("first", "min:(title)", .stringAttributeType),
            ]))
        #expect(row.count == 1)
        #expect(row[0]["sum"] as? Int == 820 && row[0]["low"] as? Int == 1 && row[0]["high"] as? Int == 40)
        #expect(row[0]["mean"] as? Double == 20.5 && row[0]["count"] as? Int == 40)
        #expect(row[0]["first"] as? String == "Book 01")
    }

    @Test func aggregatesOfNothing() throws {
        let row = try context.fetch(
            request(
                [computed("sum", "sum:(pages)"), computed("high", "max:(pages)"), computed("count", "count:(pages)")],
                "pages > 1000"))
        #expect(row.count == 1)
        #expect(row[0]["high"] == nil && row[0]["count"] as? Int == 0)
    }

    @Test func aggregatesByFunctionName() throws {
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "pages")])
        sum.expressionResultType = .integer32AttributeType
        #expect(try context.fetch(request([sum], "pages <= 4"))[0]["sum"] as? Int == 10)
    }

    @Test func expressions() throws {
        let rows = try context.fetch(
            request(
                [
                    computed("double", "pages * 2 + 1"), computed("upper", "uppercase:(title)", .stringAttributeType),
                    computed("tags", "tags.@count"), computed("half", "pages / 4.0", .doubleAttributeType),
                    computed("id", "SELF", .objectIDAttributeType),
                ], "pages == 6"))
        #expect(rows[0]["double"] as? Int == 13 && rows[0]["upper"] as? String == "BOOK 06")
        #expect(rows[0]["tags"] as? Int == 2 && rows[0]["half"] as? Double == 1.5)
        #expect((rows[0]["id"] as? NSManagedObjectID)?.entity.name == "Book")
    }

    @Test func groups() throws {
        let rows = try context.fetch(
            request(
                ["author.name", computed("count", "count:(pages)"), computed("sum", "sum:(pages)")], "author != nil",
                groupedBy: ["author.name"], sortedBy: "author.name"))
        #expect(rows.map { $0["author.name"] as? String } == ["Ann", "Bob", "Cid"])
        #expect(rows.map { $0["count"] as? Int } == [10, 10, 10])
        #expect(rows.map { $0["sum"] as? Int } == [190, 200, 210])
    }

    @Test func groupsByDescriptionAndByObject() throws {
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Book"])
        let author = try #require(entity.relationshipsByName["author"])
        let inPrint = try #require(entity.attributesByName["inPrint"])
        let rows = try context.fetch(
            request([author, inPrint, computed("count", "count:(pages)")], groupedBy: [author, inPrint]))
        #expect(rows.compactMap { $0["count"] as? Int }.reduce(0, +) == 40)
        #expect(Set(rows.compactMap { $0["author"] as? NSManagedObjectID }).count == 3)
    }

    @Test func having() throws {
        let grouped = request(
            ["price", computed("count", "count:(pages)")], groupedBy: ["price"], sortedBy: "price")
        #expect(try context.fetch(grouped).map { $0["count"] as? Int } == [9, 10, 10, 10, 1])
        grouped.havingPredicate = NSPredicate(format: "count:(pages) < %d", 10)
        #expect(try context.fetch(grouped).map { ($0["price"] as? NSDecimalNumber)?.intValue } == [0, 4])
        grouped.havingPredicate = NSPredicate(format: "sum:(pages) > 100 AND price > 1")
        #expect(try context.fetch(grouped).map { ($0["price"] as? NSDecimalNumber)?.intValue } == [2, 3])
        grouped.propertiesToGroupBy = nil
        grouped.propertiesToFetch = ["price"]
        #expect(throws: (any Error).self) { try context.fetch(grouped) }
    }

    @Test func limitsAreOfGroups() throws {
        let grouped = request(["price", computed("count", "count:(pages)")], groupedBy: ["price"], sortedBy: "price")
        grouped.fetchLimit = 2
        grouped.fetchOffset = 1
        #expect(try context.fetch(grouped).map { ($0["price"] as? NSDecimalNumber)?.intValue } == [1, 2])
    }

    @Test func distinct() throws {
        let all = request(["inPrint"], sortedBy: "inPrint")
        #expect(try context.fetch(all).count == 40)
        all.returnsDistinctResults = true
        #expect(try context.fetch(all).map { $0["inPrint"] as? Bool } == [false, true])
        let pairs = request(["inPrint", "author.name"], "author != nil")
        pairs.returnsDistinctResults = true
        // Authors of odd numbers of pages have no even ones.
        #expect(try context.fetch(pairs).count == 3)
    }

    @Test func sortedByAnExpression() throws {
        let rows = request(["pages", computed("rest", "modulus:by:(pages, 7)")], "pages < 8")
        rows.sortDescriptors = [NSSortDescriptor(key: "rest", ascending: true)]
        #expect(try context.fetch(rows).map { $0["pages"] as? Int } == [7, 1, 2, 3, 4, 5, 6])
    }

    @Test func whatCannotBeFetched() throws {
        for properties: [Any] in [["colour"], ["tags"], ["tags.word"], [7], []] {
            #expect(throws: (any Error).self, "\(properties)") { try context.fetch(request(properties)) }
        }
        // Neither grouped nor an aggregate.
        #expect(throws: (any Error).self) {
            try context.fetch(request(["title", computed("n", "count:(pages)")], groupedBy: ["price"]))
        }
        #expect(throws: (any Error).self) {
            try context.fetch(request([computed("n", "count:(pages)")], groupedBy: ["tags.word"]))
        }
        let empty = NSExpressionDescription()
        empty.name = "nothing"
        #expect(throws: (any Error).self) { try context.fetch(request([empty])) }
    }

    /// A published library casts them.
    @Test("Names to group by read back as descriptions once the request has an entity")
    func groupingByName() throws {
        let library = try Library(store: .sqlite)
        try library.context.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToGroupBy = ["title", "author.name"]
            #expect(request.propertiesToGroupBy as? [String] == ["title", "author.name"])
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
            request.entity = entity
            let read = try #require(request.propertiesToGroupBy)
            #expect(read.first as? NSAttributeDescription === entity.attributesByName["title"])
            #expect(read.last as? String == "author.name")
            request.propertiesToGroupBy = read.dropLast()
            request.propertiesToFetch = ["title"]
            #expect(try library.context.fetch(request).isEmpty)
        }
    }
}
