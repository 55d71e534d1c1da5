import CoreDataRowStorage
import Foundation

/// Which rows a predicate holds for. The rules are those of Apple's SQLite store. Whether `!=` and `NOT` hold for rows without a
/// value is the engine's own.
enum PredicateCases {
    static let all: [ContractCase] =
        plain.map { question("Book", $0.format, $0.names) } + novels.map { question("Novel", $0.format, $0.names) }
        + authors.map { question("Author", $0.format, $0.names) } + others

    private static let books = ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"]

    private static let plain: [(format: String, names: [String])] = [
        ("TRUEPREDICATE", books), ("FALSEPREDICATE", []),
        ("pages == 100", ["b1"]), ("pages != 100 AND pages != nil", ["b2", "b3", "b4", "b5", "b6", "b8"]),
        ("pages < 120", ["b1", "b5"]), ("pages <= 120", ["b1", "b4", "b5"]),
        ("pages > 300", ["b6", "b8"]), ("pages >= 300", ["b3", "b6", "b8"]),
        ("pages == nil", ["b7"]), ("pages != nil", ["b1", "b2", "b3", "b4", "b5", "b6", "b8"]),
        ("pages BETWEEN {100, 250}", ["b1", "b2", "b4"]), ("pages IN {90, 400, 7}", ["b5", "b6"]),
        ("pages * 2 == 200", ["b1"]), ("pages + 10 > 400", ["b6", "b8"]),
        ("pages > 100 AND pages < 300", ["b2", "b4"]), ("pages < 100 OR pages > 700", ["b5", "b8"]),
        ("NOT (pages > 100 AND pages < 900) AND pages != nil", ["b1", "b5"]),
        ("price > 12.25", ["b3", "b7", "b8"]), ("price == 9.5", ["b1"]), ("price == nil", ["b4"]),
        ("title == 'Alpha'", ["b1", "b8"]), ("title == 'alpha'", []), ("title ==[c] 'ALPHA'", ["b1", "b8"]),
        ("title ==[cd] 'epsilon'", ["b5"]), ("title == nil", ["b6"]), ("title == ''", []),
        ("title BEGINSWITH 'A'", ["b1", "b8"]), ("title BEGINSWITH[cd] 'e'", ["b5"]),
        ("title BEGINSWITH[c] 'B'", ["b2"]), ("title ENDSWITH 'ta'", ["b2", "b4", "b7"]),
        ("title CONTAINS 'et'", ["b2", "b7"]), ("title CONTAINS[c] 'AM'", ["b3"]),
        ("title LIKE '?e*'", ["b2", "b4", "b7"]), ("title LIKE 'Alpha'", ["b1", "b8"]),
        ("title MATCHES '[A-Z].{4}'", ["b1", "b3", "b8"]), ("title IN {'beta', 'delta'}", ["b2", "b4"]),
        ("uppercase:(title) == 'ALPHA'", ["b1", "b8"]), ("lowercase:(title) BEGINSWITH 'a'", ["b1", "b8"]),
        ("uppercase:(title) == uppercase:('beta')", ["b2"]), ("lowercase:(author.name) == 'ada'", ["b1", "b2", "b3"]),
        ("title.length == 4", ["b2", "b7"]), ("title > 'Zz'", ["b2", "b4", "b5"]),
        ("author == nil", ["b6", "b7"]), ("author != nil", ["b1", "b2", "b3", "b4", "b5", "b8"]),
        ("author.name == 'Ada'", ["b1", "b2", "b3"]), ("author.rating < 4", ["b4", "b5", "b8"]),
        ("author.name == nil", ["b6", "b7"]), ("author.books.@count == 3 AND pages < 100", ["b5"]),
        ("ANY tags.word == 'red'", ["b1", "b2"]), ("ANY tags.weight > 1", ["b1", "b4"]),
        ("tags.@count == 2", ["b1", "b4"]), ("tags.@count == 0", ["b3", "b5", "b6", "b7", "b8"]),
        ("SUBQUERY(tags, $t, $t.word == 'green' AND $t.weight == 2).@count == 1", ["b1", "b4"]),
        ("ANY fans.nick == 'reader 3'", ["b1"]), ("fans.@count > 1", ["b1"]),
        ("ANY related.title == 'beta'", ["b1"]), ("ANY author.drafts.text == 'draft 2'", ["b1", "b2", "b3"]),
    ]

    private static let novels: [(format: String, names: [String])] = [
        ("chapters > 10", ["b2", "b3"]), ("chapters == nil", ["b7", "b8"]),
        ("chapters == 12 OR title == 'Alpha'", ["b2", "b8"]), ("author.name == 'Bob'", ["b5", "b8"]),
    ]

    private static let authors: [(format: String, names: [String])] = [
        ("books.@count == 0", ["cyd"]), ("books.@count == 3", ["ada", "bob"]),
        ("ANY books.pages > 700", ["bob"]), ("books.@max.pages == 300", ["ada"]),
        ("books.@min.pages == 90", ["bob"]), ("books.@sum.pages > 1000", ["bob"]),
        ("ALL books.pages > 95", ["ada", "cyd"]), ("NONE books.title == 'Alpha'", ["cyd"]),
        ("drafts.@count == 3", ["ada"]), ("rating == nil", ["cyd"]),
    ]

    private static func question(_ entity: String, _ format: String, _ names: [String]) -> ContractCase {
        ContractCase(reading: "\(entity): \(format)") { subject in
            try subject.ask(subject.fetch(entity, format), names)
        }
    }

    private static func books(
        _ format: String, _ what: String, _ names: [String],
        _ arguments: @escaping @Sendable (Subject) -> [Any?]
    ) -> ContractCase {
        ContractCase(reading: "Book: \(what)") { subject in
            try subject.ask(subject.fetch("Book", format, arguments(subject)), names)
        }
    }

    private static let others: [ContractCase] = [
        books("author == %@", "a to-one is an object", ["b4", "b5", "b8"]) { [$0.object("bob")] },
        books("author != %@ AND author != nil", "a to-one is not an object", ["b1", "b2", "b3"]) { [$0.object("bob")] },
        books("author IN %@", "a to-one is one of some objects", ["b1", "b2", "b3"]) {
            [[$0.object("ada"), $0.object("cyd")]]
        },
        books("SELF == %@", "the object itself", ["b2"]) { [$0.object("b2")] },
        books("SELF IN %@", "one of some objects", ["b2", "b3", "b8"]) { subject in
            [["b2", "b3", "b8"].map { subject.object($0) }]
        },
        books("ANY tags == %@", "an object is among a to-many", ["b1", "b4"]) { [$0.object("green")] },
        books("%@ IN tags", "an object is in a to-many", ["b1", "b2"]) { [$0.object("red")] },
        books("author == %@", "an object of another kind", []) { [$0.object("b1")] },
        books("pages IN %@", "a list of numbers", ["b1", "b4"]) { _ in [[100, 120, 121]] },
        books("pages IN %@", "an empty list", []) { _ in [[Int]()] },
        books("title IN %@", "a list of texts", ["b1", "b7", "b8"]) { _ in [["Alpha", "Zeta"]] },
        books("published < %@", "dates before another", ["b1", "b2"]) { _ in
            [Stock.firstDay.addingTimeInterval(2 * Stock.day)]
        },
        books("published == %@", "a date", ["b4"]) { _ in [Stock.firstDay.addingTimeInterval(3 * Stock.day)] },
        books("price < %@", "a decimal number", ["b5", "b6"]) { _ in [Decimal(9)] },
        books("title == %@", "text with a quote", []) { _ in ["O'Hara\"; --"] },
        ContractCase("What other saves change is matched anew") { subject in
            let fetch = try subject.fetch("Book", "pages > 300")
            try subject.ask(fetch, ["b6", "b8"])
            try subject.saveBeside { $0.update(try subject.present("b1"), ["pages": 301]) }
            try subject.ask(fetch, ["b1", "b6", "b8"])
            try subject.saveBeside { $0.delete(try subject.present("b6")) }
            try subject.ask(fetch, ["b1", "b8"])
        },
        ContractCase("Roundings leave large integers as they are") { subject in
            // Doubles have no 9007199254740993.
            try subject.saveBeside { builder in
                for number in [9_007_199_254_740_992, 9_007_199_254_740_993] {
                    builder.insert("Sample", ["int": 1, "long": number])
                }
            }
            for function in ["floor:", "ceiling:", "trunc:"] {
                let fetch = try subject.fetch("Sample", "\(function)(long) == 9007199254740993")
                subject.expect(try subject.session.countRows(fetch), is: 1, function)
            }
        },
        ContractCase(reading: "One shape with other constants is another question") { subject in
            for (pages, names) in [(90, ["b5"]), (100, ["b1"]), (120, ["b4"])] {
                try subject.ask(subject.fetch("Book", "pages == %@", [pages]), names)
            }
        },
    ]
}

extension Subject {
    /// Expects a fetch to find these rows, however it is asked.
    func ask(_ fetch: StoreFetch, _ expected: [String]) throws {
        expect(named(try rows(fetch).map(\.reference)).sorted(), is: expected, "rows")
        expect(named(try session.fetchReferences(fetch)).sorted(), is: expected, "references")
        expect(try session.countRows(fetch), is: expected.count, "count")
    }
}
