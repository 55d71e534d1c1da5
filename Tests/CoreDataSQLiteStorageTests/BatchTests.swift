import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Batch requests change rows without objects.
@Suite
struct BatchTests {
    private func library(constrained: Bool = false) throws -> SQLiteLibrary {
        let model = LibraryModel.make()
        if constrained { model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]] }
        let library = try SQLiteLibrary(model)
        let ann = library.context.insert("Author", ["name": "Ann"])
        library.context.insert("Award", ["year": 2000, "winner": ann])
        for pages in 1...5 { library.context.insert("Book", ["pages": pages * 10, "author": ann]) }
        library.context.insert("Tag", ["word": "red"])
        try library.context.save()
        library.context.reset()
        return library
    }

    @Test func insertsDictionaries() throws {
        let library = try library()
        let request = NSBatchInsertRequest(
            entityName: "Book",
            objects: [
                ["title": "A", "pages": 7], ["title": "B", "inPrint": false], ["isbn": UUID(), "published": Date()],
            ])
        request.resultType = .objectIDs
        let result = try #require(try library.context.execute(request) as? NSBatchInsertResult)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(ids.count == 3)
        #expect(try library.fetch("Book", "title == 'A' AND pages == 7 AND inPrint == YES").map(\.objectID) == [ids[0]])
        #expect(try library.fetch("Book", "title == 'B' AND pages == 100").count == 1)
        // Keys of later objects do not collide.
        library.context.insert("Book")
        try library.context.save()
        #expect(try library.fetch("Book").count == 9)
    }

    @Test func insertsFromHandlers() throws {
        let library = try library()
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
            number += 1
            dictionary["word"] = "w\(number)"
            return number > 100
        }
        request.resultType = .count
        #expect((try library.context.execute(request) as? NSBatchInsertResult)?.result as? Int == 100)
        #expect(try library.fetch("Tag", "word BEGINSWITH 'w'").count == 100)
    }

    @Test func constraintsFollowTheMergePolicy() throws {
        let library = try library(constrained: true)
        let request = NSBatchInsertRequest(entityName: "Tag", objects: [["word": "red"], ["word": "blue"]])
        #expect(throws: (any Error).self) { try library.context.execute(request) }
        #expect(try library.fetch("Tag").count == 1)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        _ = try library.context.execute(request)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        _ = try library.context.execute(request)
        #expect(try library.fetch("Tag").count == 2)
    }

    @Test func updates() throws {
        let library = try library()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 20 AND author.name == 'Ann'")
        request.propertiesToUpdate = ["title": "long", "inPrint": false, "site": NSNull()]
        request.resultType = .updatedObjectsCountResultType
        #expect((try library.context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 3)
        #expect(try library.fetch("Book", "title == 'long' AND inPrint == NO").count == 3)
        let add = NSBatchUpdateRequest(entityName: "Book")
        add.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1"), "author": NSNull()]
        _ = try library.context.execute(add)
        #expect(try library.fetch("Book", "pages IN {11, 21, 31, 41, 51} AND author == nil").count == 5)
    }

    @Test func deletes() throws {
        let library = try library()
        let request = NSBatchDeleteRequest(
            fetchRequest: {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
                fetch.predicate = NSPredicate(format: "name == 'Ann'")
                return fetch
            }())
        request.resultType = .resultTypeCount
        #expect((try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 1)
        // Awards cascade, books are released.
        #expect(try library.fetch("Award").isEmpty)
        #expect(try library.fetch("Book", "author == nil").count == 5)
        let some = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        some.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        some.fetchLimit = 2
        _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: some))
        #expect(try library.fetch("Book", "pages > 30").isEmpty)
        #expect(try library.fetch("Book").count == 3)
    }

    @Test func deletesByID() throws {
        let library = try library()
        let books = try library.fetch("Book")
        let doomed = books.prefix(2).map(\.objectID)
        let request = NSBatchDeleteRequest(objectIDs: doomed)
        request.resultType = .resultTypeCount
        #expect((try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 2)
        library.context.reset()
        let left = try library.fetch("Book").map(\.objectID)
        #expect(left.count == books.count - 2 && !left.contains { doomed.contains($0) })
    }

    @Test func dictionaryResults() throws {
        let library = try library()
        library.context.insert("Book", ["pages": 1000, "inPrint": false])
        try library.context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        let sum = NSExpressionDescription()
        sum.name = "total"
        sum.expression = NSExpression(format: "sum:(pages)")
        sum.expressionResultType = .integer64AttributeType
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(SELF)")
        request.propertiesToFetch = ["inPrint", sum, count]
        request.propertiesToGroupBy = ["inPrint"]
        request.sortDescriptors = [NSSortDescriptor(key: "inPrint", ascending: true)]
        var rows = try library.context.fetch(request)
        #expect(rows.map { $0["total"] as? Int } == [1000, 150])
        #expect(rows.map { $0["count"] as? Int } == [1, 5])
        request.havingPredicate = NSPredicate(format: "count:(SELF) > 1")
        rows = try library.context.fetch(request)
        #expect(rows.map { $0["total"] as? Int } == [150])
        let plain = NSFetchRequest<NSDictionary>(entityName: "Book")
        plain.resultType = .dictionaryResultType
        plain.propertiesToFetch = ["author.name", "author"]
        plain.returnsDistinctResults = true
        let distinct = try library.context.fetch(plain)
        #expect(distinct.count == 2)
        #expect(distinct.contains { $0["author.name"] as? String == "Ann" && $0["author"] is NSManagedObjectID })
        request.havingPredicate = nil
        request.propertiesToFetch = ["pages", sum]
        #expect(throws: (any Error).self) { try library.context.fetch(request) }
    }
}
