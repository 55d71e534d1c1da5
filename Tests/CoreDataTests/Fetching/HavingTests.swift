import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// The having predicate of a fetch of groups may name the fetch's columns: as `$name`, or as a key.
@Suite("Having predicates", .serialized)
struct HavingTests {
    /// Books with 10, 20 and 30 pages whose titles begin alike, and one of 5 pages.
    private func library(_ kind: StoreKind) throws -> Library {
        let library = try Library(store: kind)
        for (title, pages) in [("a", 10), ("a", 20), ("b", 30), ("c", 5)] {
            library.context.insert("Book", ["title": title, "pages": pages])
        }
        try library.context.save()
        return library
    }

    private func column(
        _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    private func titles(_ having: NSPredicate, _ library: Library) throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [
            "title", column("total", "sum:(pages)", .integer64AttributeType), column("mean", "average:(pages)"),
            column("books", "count:(pages)", .integer32AttributeType),
        ]
        request.propertiesToGroupBy = ["title"]
        request.havingPredicate = having
        return try library.context.fetch(request).compactMap { $0["title"] as? String }.sorted()
    }

    @Test(arguments: StoreKind.allCases)
    func columnsByName(kind: StoreKind) throws {
        let library = try library(kind)
        #expect(try titles(NSPredicate(format: "$total >= 30"), library) == ["a", "b"])
        #expect(try titles(NSPredicate(format: "$total > %d AND $books == 1", 5), library) == ["b"])
        #expect(try titles(NSPredicate(format: "$mean BETWEEN {1, 15}"), library) == ["a", "c"])
        #expect(try titles(NSPredicate(format: "$total == $mean"), library) == ["b", "c"])
        #expect(try titles(NSPredicate(format: "$title IN {'a', 'c'} OR $total == 30"), library) == ["a", "b", "c"])
        #expect(try titles(NSPredicate(format: "total >= 30 AND count:(pages) > 1"), library) == ["a"])
    }

    @Test(arguments: StoreKind.allCases)
    func otherVariablesAreErrors(kind: StoreKind) throws {
        let library = try library(kind)
        #expect(throws: NSError.self) { try titles(NSPredicate(format: "$pages > 1"), library) }
    }

    /// A variable given a value is that value, whatever the columns are called.
    @Test(arguments: StoreKind.allCases)
    func substitutedVariables(kind: StoreKind) throws {
        let library = try library(kind)
        let having = NSPredicate(format: "$total > $least").withSubstitutionVariables(["least": 20, "total": 21])
        #expect(try titles(having, library) == ["a", "b", "c"])
    }
}
