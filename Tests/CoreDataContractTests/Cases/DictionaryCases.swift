import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Fetches of dictionaries: columns, computed values, groups.
enum DictionaryCases {
    static let all: [ContractCase] = columns + aggregates + groups

    private static func table(_ paths: String...) -> FetchTable {
        var table = FetchTable()
        table.columns = paths.map(path)
        return table
    }

    private static func path(_ path: String) -> FetchColumn {
        FetchColumn(name: path, content: .path(path.split(separator: ".").map(String.init)))
    }

    private static func computed(_ name: String, _ format: String, _ kind: CellKind?) throws -> FetchColumn {
        FetchColumn(name: name, content: .expression(try Bookshop.expression(format), kind))
    }

    private static func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }

    private static let columns: [ContractCase] = [
        ContractCase(reading: "A column of an attribute") { subject in
            let found = try subject.dictionaries(subject.fetch("Book", sort: ["published"]), table("title"))
            subject.expect(
                found.map { $0["title"] as? String },
                is: ["Alpha", "beta", "Gamma", "delta", "Épsilon", nil, "Zeta", "Alpha"], "titles")
        },
        ContractCase(reading: "Absent values are left out") { subject in
            let found = try subject.dictionaries(subject.fetch("Book", "title == nil"), table("title", "pages"))
            subject.expect(found.map { Set($0.keys) }, is: [["pages"]], "keys")
        },
        ContractCase(reading: "Only the columns that are asked for") { subject in
            let found = try subject.dictionaries(subject.fetch("Saga", "pages == 300"), table("title", "volumes"))
            subject.expect(found.map { Set($0.keys) }, is: [["title", "volumes"]], "keys")
        },
        ContractCase(reading: "A to-one relationship is what stands for its row") { subject in
            let found = try subject.dictionaries(subject.fetch("Book", "pages == 100"), table("author"))
            subject.expect(found.map { $0["author"] as? RowReference }, is: [subject["ada"]], "authors")
        },
        ContractCase(reading: "A path follows to-one relationships") { subject in
            let found = try subject.dictionaries(subject.fetch("Book", sort: ["published"]), table("author.name"))
            subject.expect(
                found.map { $0["author.name"] as? String }, is: ["Ada", "Ada", "Ada", "Bob", "Bob", nil, nil, "Bob"],
                "names")
        },
        ContractCase(reading: "Without columns there are all attributes") { subject in
            let found = try subject.dictionaries(subject.fetch("Tag", "word == 'green'"), FetchTable())
            subject.expect(found.map { Set($0.keys) }, is: [["word", "weight"]], "keys")
            subject.expect(found.map { number($0["weight"]) }, is: [2], "weights")
        },
        ContractCase(reading: "A predicate chooses the rows") { subject in
            let found = try subject.dictionaries(
                subject.fetch("Book", "pages > 250", sort: ["pages"]), table("pages"))
            subject.expect(found.map { number($0["pages"]) }, is: [300, 400, 800], "pages")
        },
        ContractCase(reading: "Rows of entities below are left out if that is asked") { subject in
            let found = try subject.dictionaries(
                subject.fetch("Book", sort: ["pages"], includesSubentities: false), table("pages"))
            subject.expect(found.map { number($0["pages"]) }, is: [100, 120, 400], "pages")
        },
        ContractCase(reading: "Dictionaries are in order, limit and offset applied") { subject in
            let found = try subject.dictionaries(
                subject.fetch("Book", sort: ["-pages"], limit: 3, offset: 1), table("pages"))
            subject.expect(found.map { number($0["pages"]) }, is: [400, 300, 250], "pages")
        },
        ContractCase(reading: "Equal dictionaries are given once if that is asked") { subject in
            var table = table("title")
            let fetch = try subject.fetch("Book", "title BEGINSWITH 'A' OR title == 'Zeta'", sort: ["title"])
            subject.expect(
                try subject.dictionaries(fetch, table).map { $0["title"] as? String }, is: ["Alpha", "Alpha", "Zeta"],
                "titles")
            table.isDistinct = true
            subject.expect(
                try subject.dictionaries(fetch, table).map { $0["title"] as? String }, is: ["Alpha", "Zeta"],
                "different titles")
        },
        ContractCase(reading: "A limit is about different dictionaries") { subject in
            var table = table("author.name")
            table.isDistinct = true
            let found = try subject.dictionaries(
                subject.fetch("Book", "author != nil", sort: ["author.name"], limit: 2), table)
            subject.expect(found.map { $0["author.name"] as? String }, is: ["Ada", "Bob"], "names")
        },
        ContractCase(reading: "A column is computed from each row") { subject in
            var table = FetchTable()
            table.columns = [try computed("double", "pages * 2", .int64)]
            let found = try subject.dictionaries(subject.fetch("Book", "pages < 110", sort: ["pages"]), table)
            subject.expect(found.map { number($0["double"]) }, is: [180, 200], "numbers")
        },
        ContractCase(reading: "No rows are no dictionaries") { subject in
            let found = try subject.dictionaries(subject.fetch("Sample"), table("text"))
            subject.expect(found.count, is: 0, "dictionaries")
        },
    ]

    // MARK: Aggregates

    private static let functions: [(format: String, kind: CellKind, value: Double)] = [
        ("count:(pages)", .int64, 7), ("sum:(pages)", .int64, 2060), ("min:(pages)", .int64, 90),
        ("max:(pages)", .int64, 800), ("average:(price)", .double, 209.25 / 7), ("sum:(price)", .double, 209.25),
        ("max:(author.rating)", .double, 4.5),
    ]

    private static let aggregates: [ContractCase] =
        functions.map { function in
            ContractCase(reading: "\(function.format) of all rows is one dictionary") { subject in
                var table = FetchTable()
                table.columns = [try computed("value", function.format, function.kind)]
                let found = try subject.dictionaries(subject.fetch("Book"), table)
                subject.expect(found.count, is: 1, "dictionaries")
                let value = found.first.flatMap { number($0["value"]) } ?? .nan
                subject.expect(abs(value - function.value) < 1e-9, "\(value) instead of \(function.value)")
            }
        } + [
            ContractCase(reading: "A predicate chooses what is aggregated") { subject in
                var table = FetchTable()
                table.columns = [try computed("value", "sum:(pages)", .int64)]
                let found = try subject.dictionaries(subject.fetch("Book", "author.name == 'Bob'"), table)
                subject.expect(found.map { number($0["value"]) }, is: [1010], "sums")
            },
            ContractCase(reading: "Nothing has no extreme and counts 0") { subject in
                var table = FetchTable()
                table.columns = [try computed("n", "count:(int)", .int64), try computed("max", "max:(int)", .int64)]
                let found = try subject.dictionaries(subject.fetch("Sample"), table)
                subject.expect(found.map { number($0["n"]) }, is: [0], "counts")
                subject.expect(found.map { $0["max"] == nil }, is: [true], "absence of an extreme")
            },
        ]

    // MARK: Groups

    private static func byAuthor() throws -> FetchTable {
        var table = FetchTable()
        table.groups = [path("author.name")]
        table.columns = [
            path("author.name"), try computed("n", "count:(published)", .int64),
            try computed("total", "sum:(pages)", .int64),
        ]
        return table
    }

    private static let groups: [ContractCase] = [
        ContractCase(reading: "Rows of equal values become one dictionary") { subject in
            let found = try subject.dictionaries(subject.fetch("Book", sort: ["author.name"]), byAuthor())
            subject.expect(found.map { $0["author.name"] as? String }, is: [nil, "Ada", "Bob"], "names")
            subject.expect(found.map { number($0["n"]) }, is: [2, 3, 3], "counts")
            subject.expect(found.map { number($0["total"]) }, is: [400, 650, 1010], "sums")
        },
        ContractCase(reading: "A predicate chooses what is grouped") { subject in
            let found = try subject.dictionaries(
                subject.fetch("Book", "pages > 100 AND author != nil", sort: ["author.name"]), byAuthor())
            subject.expect(found.map { number($0["n"]) }, is: [2, 2], "counts")
        },
        ContractCase(reading: "A predicate over groups chooses among them") { subject in
            var table = try byAuthor()
            table.having = try NSPredicate.parse("$total > 500")
            let found = try subject.dictionaries(subject.fetch("Book", sort: ["author.name"]), table)
            subject.expect(found.map { $0["author.name"] as? String }, is: ["Ada", "Bob"], "names")
        },
        ContractCase(reading: "Limit and offset are about groups") { subject in
            let found = try subject.dictionaries(
                subject.fetch("Book", sort: ["author.name"], limit: 1, offset: 1), byAuthor())
            subject.expect(found.map { $0["author.name"] as? String }, is: ["Ada"], "names")
        },
        ContractCase(reading: "Groups by several columns") { subject in
            var table = FetchTable()
            table.groups = [path("title"), path("author.name")]
            table.columns = [path("title"), path("author.name"), try computed("n", "count:(published)", .int64)]
            let found = try subject.dictionaries(
                subject.fetch("Book", "title == 'Alpha'", sort: ["author.name"]), table)
            subject.expect(found.map { $0["author.name"] as? String }, is: ["Ada", "Bob"], "names")
            subject.expect(found.map { number($0["n"]) }, is: [1, 1], "counts")
        },
    ]
}
