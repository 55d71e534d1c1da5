#if canImport(CoreDataSQLiteStorage)
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

@Suite struct QueryErrorTests {
    private func error(
        _ sample: QuerySample, of entity: String = "Book", _ change: (inout StoreQuery) -> Void
    ) throws -> StoreToolError {
        var query = StoreQuery(sample.url, entity: entity)
        change(&query)
        let changed = query
        return try #require(#expect(throws: StoreToolError.self) { try changed.rows() })
    }

    @Test func unknownNamesAreAnsweredWithTheNearestOnes() throws {
        let sample = try QuerySample()
        var found = try error(sample, of: "Bok") { _ in }
        #expect(found.code == .invalidQuery)
        #expect(found.message == "The model has no entity Bok.")
        #expect(found.advice == "Did you mean Book?")
        found = try error(sample) { $0.predicate = "titel == 'x'" }
        #expect(found.message == "The entity Book has no property titel.")
        #expect(found.advice == nil || found.advice?.isEmpty == false)
        found = try error(sample) { $0.predicate = "author.nam == 'x'" }
        #expect(found.message == "The entity Author has no property nam.")
        #expect(found.advice == "Did you mean name?")
        found = try error(sample) { $0.columns = ["author.name.first"] }
        #expect(found.message == "Author.name is an attribute and has no property first.")
        found = try error(sample) { $0.columns = ["place.stret"] }
        #expect(found.message == "The composite attribute Book.place has no element stret.")
        #expect(found.advice == "Did you mean street?")
        found = try error(sample) { $0.sortKeys = [.init("zzz")] }
        #expect(found.message == "The entity Book has no property zzz.")
        #expect(found.advice?.hasPrefix("It has author, cover, ") == true)
        found = try error(sample) { $0.predicate = "SUBQUERY(tags, $t, $t.wrd == 'x').@count > 0" }
        #expect(found.message == "The entity Tag has no property wrd.")
    }

    @Test(arguments: [
        "title ==", "title == %@", "title == 'x", "BLOCK(", "pages > 'abc'", "tags == 'x'", "author == 'Ann'",
        "author == 3", "FUNCTION(title, 'secret') == 'x'", "published > 'x'", "entity == 'Nothing'",
        "ANY tags.word.letters == 'x'", "title.@count > 1", "author == 'x-coredata://OTHER/Author/p1'",
        "mood == 'x'", "notes > 3", "ANY tags.books.tags.word == 'x'", "place > 3", "median(tags) == 3", "a..b == 3",
    ])
    func predicatesThatCannotBeTranslatedAreErrors(_ predicate: String) throws {
        let sample = try QuerySample()
        let found = try error(sample) { $0.predicate = predicate }
        #expect(found.code == .invalidQuery, "\(found)")
        #expect(found.message.hasSuffix("."), "\(found.message)")
    }

    @Test(arguments: [
        "", ".", "a..b", "@count", "tags.@frob", "tags.@sum", "tags.books.title", "mood", "author.mood", "title.@count",
        "nothing",
    ])
    func columnsThatDoNotFitAreErrors(_ column: String) throws {
        let sample = try QuerySample()
        let found = try error(sample, of: column == "mood" ? "Author" : "Book") { $0.columns = [column] }
        #expect(found.code == .invalidQuery, "\(found)")
    }

    @Test func aSyntaxErrorTellsItsPlace() throws {
        let sample = try QuerySample()
        let found = try error(sample) { $0.predicate = "title == == 3" }
        #expect(found.message.hasPrefix("The predicate \"title == == 3\" cannot be parsed: "))
        #expect(found.message.hasSuffix(", at character 10."))
    }

    @Test func objectsOfOtherEntitiesAreRefused() throws {
        let sample = try QuerySample()
        let tag = try #require(try StoreQuery(sample.url, entity: "Tag").rows().first).uri
        let found = try error(sample) {
            $0.predicate = "author == %@"
            $0.arguments = [tag]
        }
        #expect(found.message == "\(tag.absoluteString) is an object of the entity Tag, and not of Author.")
    }

    @Test func anotherModelIsRefused() throws {
        let sample = try QuerySample()
        var model = try OpenStore(sample.url).model
        let index = try #require(model.entities.firstIndex { $0.name == "Tag" })
        model.entities[index].attributes.append(Attribute(name: "extra", type: .string))
        let changed = model
        let found = #expect(throws: StoreToolError.self) { try OpenStore(sample.url, model: changed) }
        #expect(found?.code == .otherModel)
        #expect(found?.message == "The given model is not that of the store Library.sqlite: Tag differs.")
    }

    @Test func aStoreWithoutAModelNeedsOne() throws {
        let sample = try QuerySample()
        let model = try OpenStore(sample.url).model
        try QuerySample.execute("DELETE FROM Z_MODELCACHE;", at: sample.url)
        let found = #expect(throws: StoreToolError.self) { try OpenStore(sample.url) }
        #expect(found?.code == .noModel)
        #expect(try OpenStore(sample.url, model: model).query(entity: "Tag").count() == 3)
    }

    @Test func aTableThatTheModelDoesNotDescribeIsAnError() throws {
        let sample = try QuerySample()
        try QuerySample.execute("DROP TABLE ZTAG;", at: sample.url)
        let found = #expect(throws: StoreToolError.self) { try OpenStore(sample.url) }
        #expect(found?.code == .otherModel)
        #expect(found?.message.contains("ZTAG") == true)
    }

    @Test func aRowOfAnUnknownEntityIsAnError() throws {
        let sample = try QuerySample()
        try QuerySample.execute("UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 2;", at: sample.url)
        let found = try error(sample) { _ in }
        #expect(found.code == .failed)
        #expect(found.message == "The row 2 of Book has the entity number 77, which the store does not know.")
    }

    @Test func errorsOfTheCallerAreThrownAsTheyAre() throws {
        struct Stop: Error {}
        let sample = try QuerySample()
        for columns in [["title"], ["tags"]] {
            var query = StoreQuery(sample.url, entity: "Book")
            query.columns = columns
            let changed = query
            #expect(throws: Stop.self) { try changed.forEach { _ in throw Stop() } }
        }
    }
}
#endif
