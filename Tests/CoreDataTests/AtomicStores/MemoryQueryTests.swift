import CoreData
import CoreDataTestSupport
import Testing

/// Fetches from stores that keep their rows in memory: answered from saved values, as a SQL store would.
@Suite("Fetching from memory")
struct MemoryQueryTests {
    let library: Library
    var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try Library(store: .memory)
        try library.perform { context in
            let austen = context.insert("Author", ["name": "Austen", "rating": 4.5])
            let woolf = context.insert("Author", ["name": "Woolf", "rating": 4.0])
            context.insert("Author", ["name": "Nobody"])
            let emma = context.insert("Book", ["title": "Emma", "pages": 474, "author": austen])
            let pride = context.insert("Book", ["title": "Pride", "pages": 432, "author": austen])
            let waves = context.insert("Book", ["title": "Waves", "pages": 297, "author": woolf])
            context.insert("Book", ["title": "Anon", "pages": 10])
            let novel = context.insert("Tag", ["word": "novel"])
            let sea = context.insert("Tag", ["word": "sea"])
            novel.setValue(Set([emma, pride, waves]), forKey: "books")
            sea.setValue(Set([waves]), forKey: "books")
            try context.save()
            context.reset()
        }
    }

    private func titles(
        _ format: String? = nil, _ arguments: [Any] = [], sortedBy key: String = "title", ascending: Bool = true,
        limit: Int = 0, offset: Int = 0
    ) throws -> [String] {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
            request.fetchLimit = limit
            request.fetchOffset = offset
            return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "nil" }
        }
    }

    @Test func attributesAreCompared() throws {
        try #expect(titles("pages > 300") == ["Emma", "Pride"])
        try #expect(titles("title BEGINSWITH[c] 'p' OR title == 'Anon'") == ["Anon", "Pride"])
        try #expect(titles("title IN %@", [["Emma", "Waves", "Ulysses"]]) == ["Emma", "Waves"])
        try #expect(titles("published == nil AND pages BETWEEN {200, 450}") == ["Pride", "Waves"])
    }

    @Test func relationshipsAreFollowed() throws {
        try #expect(titles("author.name == 'Austen'") == ["Emma", "Pride"])
        try #expect(titles("author == nil") == ["Anon"])
        try #expect(titles("ANY tags.word == 'sea'") == ["Waves"])
        try #expect(titles("tags.@count == 0") == ["Anon"])
        try #expect(titles("SUBQUERY(tags, $t, $t.word BEGINSWITH 'n').@count > 0") == ["Emma", "Pride", "Waves"])
        try #expect(titles("author.books.@count == 2") == ["Emma", "Pride"])
    }

    @Test func objectsAndTheirIDsAreCompared() throws {
        try context.performAndWait {
            let authors = try context.fetchAll("Author")
            let austen = try #require(authors.first { $0.value(forKey: "name") as? String == "Austen" })
            try #expect(titles("author == %@", [austen]) == ["Emma", "Pride"])
            try #expect(titles("author == %@", [austen.objectID]) == ["Emma", "Pride"])
            try #expect(titles("author IN %@", [[austen]]) == ["Emma", "Pride"])
            let emma = try #require(
                try context.fetchAll("Book").first { $0.value(forKey: "title") as? String == "Emma" })
            try #expect(titles("SELF == %@", [emma]) == ["Emma"])
            try #expect(titles("SELF IN %@", [[emma.objectID]]) == ["Emma"])
            try #expect(titles("NOT SELF == %@ AND author == %@", [emma, austen]) == ["Pride"])
        }
    }

    @Test func resultsAreSortedAndCut() throws {
        try #expect(titles(sortedBy: "pages") == ["Anon", "Waves", "Pride", "Emma"])
        try #expect(titles(sortedBy: "pages", ascending: false, limit: 2) == ["Emma", "Pride"])
        try #expect(titles(sortedBy: "pages", limit: 2, offset: 1) == ["Waves", "Pride"])
        try #expect(titles(sortedBy: "pages", offset: 3) == ["Emma"])
        try #expect(titles(sortedBy: "pages", offset: 9) == [])
        // nil is smaller than any value.
        try #expect(titles(sortedBy: "author.name").first == "Anon")
    }

    @Test(arguments: ["nothing == 1", "author.nothing == 1", "ANY tags.nothing == 1"])
    func keyPathsThatLeadNowhereGiveAnError(format: String) throws {
        #expect {
            try titles(format)
        } throws: { error in
            (error as NSError).domain == NSCocoaErrorDomain
                && (error as NSError).localizedFailureReason?.contains("not found in entity Book") ?? false
        }
        #expect(throws: (any Error).self) { try titles(sortedBy: "nothing") }
    }

    @Test func predicatesThatCannotBeEvaluatedGiveAnError() throws {
        #expect(throws: (any Error).self) { try titles("title MATCHES '['") }
    }

    @Test func countsAndIDs() throws {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            try #expect(context.count(for: request) == 4)
            request.predicate = NSPredicate(format: "pages > 20")
            try #expect(context.count(for: request) == 3)
            request.fetchOffset = 1
            try #expect(context.count(for: request) == 2)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            ids.predicate = NSPredicate(format: "title == 'Emma'")
            try #expect(context.fetch(ids).map { $0.uriRepresentation().path } == ["/Book/p1"])
        }
    }

    // MARK: Dictionaries

    private func dictionaries(_ entity: String, _ configure: (NSFetchRequest<NSDictionary>) -> Void) throws
        -> [NSDictionary]
    {
        try context.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: entity)
            request.resultType = .dictionaryResultType
            configure(request)
            return try context.fetch(request)
        }
    }

    private func column(_ name: String, _ format: String, _ type: NSAttributeType) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    @Test func dictionariesHoldTheColumnsAskedFor() throws {
        let rows = try dictionaries("Book") {
            $0.propertiesToFetch = ["title", "author.name", "author"]
            $0.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        }
        #expect(rows.map { $0["title"] as? String } == ["Anon", "Emma", "Pride", "Waves"])
        #expect(rows[0].allKeys.count == 1)
        #expect(rows[1]["author.name"] as? String == "Austen")
        #expect((rows[1]["author"] as? NSManagedObjectID)?.entity.name == "Author")
    }

    @Test func aggregatesCombineAllRows() throws {
        let rows = try dictionaries("Book") {
            $0.propertiesToFetch = [
                column("most", "max:(pages)", .integer32AttributeType),
                column("all", "sum:(pages)", .integer64AttributeType),
                column("number", "count:(title)", .integer32AttributeType),
                column("mean", "average:(pages)", .doubleAttributeType),
            ]
        }
        #expect(rows.count == 1)
        #expect(rows[0]["most"] as? Int == 474)
        #expect(rows[0]["all"] as? Int == 1213)
        #expect(rows[0]["number"] as? Int == 4)
        #expect(rows[0]["mean"] as? Double == 303.25)
    }

    @Test func groupsAreFormedAndFiltered() throws {
        let rows = try dictionaries("Book") {
            $0.propertiesToFetch = ["author.name", column("number", "count:(title)", .integer32AttributeType)]
            $0.propertiesToGroupBy = ["author.name"]
            $0.havingPredicate = NSPredicate(format: "number > 1 OR author.name == nil")
            $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: false)]
        }
        #expect(rows.map { $0["author.name"] as? String } == ["Austen", nil])
        #expect(rows.map { $0["number"] as? Int } == [2, 1])
    }

    @Test func equalDictionariesAreGivenOnce() throws {
        let rows = try dictionaries("Book") {
            $0.propertiesToFetch = ["author.name"]
            $0.returnsDistinctResults = true
            $0.predicate = NSPredicate(format: "author != nil")
        }
        #expect(Set(rows.map { $0["author.name"] as? String }) == ["Austen", "Woolf"])
        #expect(rows.count == 2)
    }

    @Test func anUngroupedColumnIsRefused() throws {
        #expect(throws: (any Error).self) {
            try dictionaries("Book") {
                $0.propertiesToFetch = ["title"]
                $0.propertiesToGroupBy = ["author.name"]
            }
        }
    }
}
