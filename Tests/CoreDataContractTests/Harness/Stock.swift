import CoreDataRowStorage
import Foundation

/// What is in each engine to begin with.
///
/// | | entity | title | pages | price | author | tags | |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | b1 | Book | Alpha | 100 | 9.5 | ada | red, green | |
/// | b2 | Novel | beta | 250 | 12.25 | ada | red | 12 chapters |
/// | b3 | Saga | Gamma | 300 | 30 | ada | | 20 chapters, 3 volumes |
/// | b4 | Book | delta | 120 | | bob | green, blue | |
/// | b5 | Novel | Épsilon | 90 | 7 | bob | | 7 chapters |
/// | b6 | Book | | 400 | 1.5 | | | |
/// | b7 | Novel | Zeta | | 99 | | | |
/// | b8 | Saga | Alpha | 800 | 50 | bob | | 9 volumes |
///
/// Authors are ada, bob and cyd, who has nothing. Drafts of ada are d1, d2, d3; d4 is nobody's. Favourites of r1 are b3, b1, b4,
/// of r3 b1, of r2 none. On shelf s1 stand b4 and b2 in a row, and b1 and b5 somewhere. b1 is related to b2 and b6.
enum Stock {
    /// Dates of publication are so many days after the first, a book each.
    static let firstDay = Date(timeIntervalSinceReferenceDate: 700_000_000)
    static let day: Double = 86400

    static func fill(_ engine: any StoreEngine) throws -> [String: RowReference] {
        let builder = SaveBuilder()
        var made: [(name: String, entity: String, reference: RowReference)] = []
        func add(_ name: String, _ entity: String, _ values: [String: Any?]) -> RowReference {
            let reference = builder.insert(entity, values)
            made.append((name, entity, reference))
            return reference
        }
        let ada = add("ada", "Author", ["name": "Ada", "rating": 4.5, "born": firstDay])
        let bob = add("bob", "Author", ["name": "Bob", "rating": 3.0])
        _ = add("cyd", "Author", ["name": "Cyd"])
        let red = add("red", "Tag", ["word": "red", "weight": 1])
        let green = add("green", "Tag", ["word": "green", "weight": 2])
        let blue = add("blue", "Tag", ["word": "blue", "weight": 3])
        _ = add("grey", "Tag", ["word": nil, "weight": 4])
        let books = addBooks(ada, bob, add)
        for (book, tags) in [(0, [red, green]), (1, [red]), (3, [green, blue])] {
            builder.link(books[book], book == 1 ? "Novel" : "Book", "tags", add: tags)
        }
        builder.link(books[0], "Book", "related", add: [books[1], books[5]])
        let drafts = (1...3).map { add("d\($0)", "Draft", ["text": "draft \($0)", "author": ada]) }
        _ = add("d4", "Draft", ["text": "draft 4"])
        builder.link(ada, "Author", "drafts", add: drafts, order: drafts)
        let readers = (1...3).map { add("r\($0)", "Reader", ["nick": "reader \($0)"]) }
        for (reader, favourites) in [(0, [2, 0, 3]), (2, [0])] {
            let references = favourites.map { books[$0] }
            builder.link(readers[reader], "Reader", "favourites", add: references, order: references)
        }
        let shelf = add("s1", "Shelf", ["label": "first"])
        _ = add("s2", "Shelf", ["label": "second"])
        builder.link(shelf, "Shelf", "row", add: [books[3], books[1]], order: [books[3], books[1]])
        builder.link(shelf, "Shelf", "books", add: [books[0], books[4]])
        let keys = try withExtendedLifetime(builder) { try engine.session().save(builder.changes) }
        return Dictionary(
            uniqueKeysWithValues: made.compactMap { name, entity, reference in
                keys[reference.key].map {
                    (name, RowReference(entityNumber: Bookshop.layout(entity).number, key: $0))
                }
            })
    }

    private static func addBooks(
        _ ada: RowReference, _ bob: RowReference, _ add: (String, String, [String: Any?]) -> RowReference
    ) -> [RowReference] {
        let books: [(String, [String: Any?])] = [
            ("Book", ["title": "Alpha", "pages": 100, "price": Decimal(9.5), "author": ada]),
            ("Novel", ["title": "beta", "pages": 250, "price": Decimal(12.25), "author": ada, "chapters": 12]),
            (
                "Saga",
                ["title": "Gamma", "pages": 300, "price": Decimal(30), "author": ada, "chapters": 20, "volumes": 3]
            ),
            ("Book", ["title": "delta", "pages": 120, "author": bob]),
            ("Novel", ["title": "Épsilon", "pages": 90, "price": Decimal(7), "author": bob, "chapters": 7]),
            ("Book", ["pages": 400, "price": Decimal(1.5)]),
            ("Novel", ["title": "Zeta", "price": Decimal(99)]),
            ("Saga", ["title": "Alpha", "pages": 800, "price": Decimal(50), "author": bob, "volumes": 9]),
        ]
        return books.enumerated().map { index, book in
            var values = book.1
            values["published"] = firstDay.addingTimeInterval(Double(index) * day)
            return add("b\(index + 1)", book.0, values)
        }
    }
}
