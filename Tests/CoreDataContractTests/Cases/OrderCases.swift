import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The order in which fetches give what they find.
enum OrderCases {
    static let all: [ContractCase] = orders.flatMap(cases) + others

    /// Sort keys, a minus before those that descend, and the rows in order.
    private static let orders: [(entity: String, keys: [String], names: [String])] = [
        ("Book", ["published"], ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"]),
        ("Book", ["-published"], ["b8", "b7", "b6", "b5", "b4", "b3", "b2", "b1"]),
        // nil is before everything.
        ("Book", ["pages"], ["b7", "b5", "b1", "b4", "b2", "b3", "b6", "b8"]),
        ("Book", ["-pages"], ["b8", "b6", "b3", "b2", "b4", "b1", "b5", "b7"]),
        // Text is ordered as its bytes are.
        ("Book", ["title", "pages"], ["b6", "b1", "b8", "b3", "b7", "b2", "b4", "b5"]),
        ("Book", ["title", "-pages"], ["b6", "b8", "b1", "b3", "b7", "b2", "b4", "b5"]),
        ("Book", ["-title", "pages"], ["b5", "b4", "b2", "b7", "b3", "b1", "b8", "b6"]),
        ("Book", ["price"], ["b4", "b6", "b5", "b1", "b2", "b3", "b8", "b7"]),
        ("Book", ["-price"], ["b7", "b8", "b3", "b2", "b1", "b5", "b6", "b4"]),
        ("Book", ["author.name", "published"], ["b6", "b7", "b1", "b2", "b3", "b4", "b5", "b8"]),
        ("Book", ["-author.name", "-published"], ["b8", "b5", "b4", "b3", "b2", "b1", "b7", "b6"]),
        ("Book", ["author.rating", "pages"], ["b7", "b6", "b5", "b4", "b8", "b1", "b2", "b3"]),
        ("Novel", ["chapters", "published"], ["b7", "b8", "b5", "b2", "b3"]),
        ("Novel", ["-chapters", "-published"], ["b3", "b2", "b5", "b8", "b7"]),
        ("Saga", ["volumes"], ["b3", "b8"]),
        ("Author", ["name"], ["ada", "bob", "cyd"]),
        ("Author", ["-name"], ["cyd", "bob", "ada"]),
        ("Author", ["rating"], ["cyd", "bob", "ada"]),
        ("Author", ["born", "name"], ["bob", "cyd", "ada"]),
        ("Tag", ["word"], ["grey", "blue", "green", "red"]),
    ]

    private static func cases(
        _ order: (entity: String, keys: [String], names: [String])
    ) -> [ContractCase] {
        [
            ContractCase(reading: "\(order.entity) by \(order.keys.joined(separator: ", "))") { subject in
                let fetch = try subject.fetch(order.entity, sort: order.keys)
                subject.expect(
                    subject.named(try subject.session.fetchReferences(fetch)), is: order.names, "references")
                subject.expect(subject.named(try subject.rows(fetch).map(\.reference)), is: order.names, "rows")
            }
        ]
    }

    private static func titles(_ subject: Subject, _ selector: String, _ format: String) throws -> [String?] {
        var fetch = try subject.fetch("Book", format)
        fetch.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true, selector: Selector(selector)),
            NSSortDescriptor(key: "published", ascending: true),
        ]
        return try subject.rows(fetch).map { $0.text("title") }
    }

    private static let others: [ContractCase] = [
        ContractCase(reading: "A selector ignores case") { subject in
            subject.expect(
                try titles(subject, "caseInsensitiveCompare:", "title < 'É'"),
                is: ["Alpha", "Alpha", "beta", "delta", "Gamma", "Zeta"], "titles")
        },
        ContractCase(reading: "A selector compares as the language does") { subject in
            subject.expect(
                try titles(subject, "localizedStandardCompare:", "title != nil"),
                is: ["Alpha", "Alpha", "beta", "delta", "Épsilon", "Gamma", "Zeta"], "titles")
        },
        ContractCase(reading: "What matches a predicate is in order") { subject in
            let fetch = try subject.fetch("Book", "pages > 100", sort: ["-pages"])
            subject.expect(
                subject.named(try subject.session.fetchReferences(fetch)), is: ["b8", "b6", "b3", "b2", "b4"], "books")
        },
        ContractCase(reading: "Rows of one entity alone are in order") { subject in
            let fetch = try subject.fetch("Book", sort: ["-pages"], includesSubentities: false)
            subject.expect(
                subject.named(try subject.session.fetchReferences(fetch)), is: ["b6", "b4", "b1"], "books")
        },
        ContractCase("Saves move rows to their places") { subject in
            try subject.saveBeside { save in
                save.update(try subject.present("b1"), ["pages": 1000])
                save.update(try subject.present("b8"), ["pages": 1])
            }
            let fetch = try subject.fetch("Book", sort: ["pages"])
            subject.expect(
                subject.named(try subject.session.fetchReferences(fetch)),
                is: ["b7", "b8", "b5", "b4", "b2", "b3", "b6", "b1"], "books")
        },
        ContractCase("Whole numbers are ordered to the last digit") { subject in
            let numbers: [Int] = [.max, .max - 1, .min, .min + 1, 0, -1, 1]
            try subject.saveBeside { save in for number in numbers { save.insert("Sample", ["long": number]) } }
            let rows = try subject.rows(subject.fetch("Sample", sort: ["long"]))
            subject.expect(
                rows.compactMap { ($0.values["long"] as? NSNumber)?.intValue }, is: numbers.sorted(), "numbers")
        },
    ]
}
