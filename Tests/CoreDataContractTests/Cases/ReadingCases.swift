import CoreDataRowStorage
import Foundation

/// Fetching rows and reading them by their keys.
enum ReadingCases {
    static let all: [ContractCase] = fetching + byKey + delivery

    private static let books = ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"]

    private static let families: [(entity: String, all: [String], own: [String])] = [
        ("Book", books, ["b1", "b4", "b6"]),
        ("Novel", ["b2", "b3", "b5", "b7", "b8"], ["b2", "b5", "b7"]),
        ("Saga", ["b3", "b8"], ["b3", "b8"]),
        ("Author", ["ada", "bob", "cyd"], ["ada", "bob", "cyd"]),
        ("Tag", ["blue", "green", "grey", "red"], ["blue", "green", "grey", "red"]),
        ("Sample", [], []),
    ]

    private static let fetching: [ContractCase] = families.flatMap { family in
        [
            ContractCase(reading: "A fetch of \(family.entity) finds its rows and those of entities below it") {
                subject in
                let fetch = try subject.fetch(family.entity)
                let rows = try subject.rows(fetch)
                subject.expect(subject.named(rows.map(\.reference)).sorted(), is: family.all, "rows")
                let references = try subject.session.fetchReferences(fetch)
                subject.expect(subject.named(references).sorted(), is: family.all, "references")
            },
            ContractCase(reading: "A fetch of \(family.entity) alone finds no rows of entities below it") { subject in
                let fetch = try subject.fetch(family.entity, includesSubentities: false)
                let rows = try subject.rows(fetch)
                subject.expect(subject.named(rows.map(\.reference)).sorted(), is: family.own, "rows")
                let references = try subject.session.fetchReferences(fetch)
                subject.expect(subject.named(references).sorted(), is: family.own, "references")
            },
        ]
    }

    // MARK: By key

    private static let keyLists: [(what: String, entity: String, names: [String])] = [
        ("one key", "Book", ["b3"]),
        ("keys that follow each other", "Book", ["b2", "b3", "b4", "b5"]),
        ("keys in any order", "Book", ["b7", "b1", "b4"]),
        ("all keys", "Book", books),
        ("keys of another entity of the hierarchy", "Saga", ["b1", "b2"]),
        ("keys far from each other", "Book", ["b1", "b8"]),
    ]

    private static let byKey: [ContractCase] =
        keyLists.map { list in
            ContractCase(reading: "\(list.what) are read, each row once") { subject in
                let rows = try subject.rows(list.entity, list.names.map { subject[$0] })
                subject.expect(subject.named(rows.map(\.reference)).sorted(), is: list.names.sorted(), "rows")
                for row in rows {
                    let number = books.firstIndex(of: subject.named([row.reference])[0]) ?? -1
                    let day = Stock.firstDay.addingTimeInterval(Double(number) * Stock.day)
                    subject.expect(row.values["published"] as? Date, is: day, "day of \(number)")
                }
            }
        } + [
            ContractCase(reading: "No keys are no rows") { subject in
                subject.expect(try subject.rows("Book", []).count, is: 0, "rows")
            },
            ContractCase(reading: "Keys without a row are left out") { subject in
                let gone = RowReference(entityNumber: Bookshop.layout("Book").number, key: 4711)
                let rows = try subject.rows("Book", [subject["b2"], gone, subject["b6"]])
                subject.expect(subject.named(rows.map(\.reference)).sorted(), is: ["b2", "b6"], "rows")
                subject.expect(try subject.rows("Book", [gone]).count, is: 0, "rows of the one key")
            },
            ContractCase("A row that is read anew is as it is now") { subject in
                let before = try subject.present("b1")
                try subject.saveBeside { $0.update(before, ["title": "Omega"]) }
                subject.expect(try subject.present("b1").text("title"), is: "Omega", "title")
                try subject.saveBeside { $0.update(try subject.present("b1"), ["title": "Psi"]) }
                subject.expect(try subject.present("b1").text("title"), is: "Psi", "title after another save")
            },
            ContractCase("A row that is gone is not read anew") { subject in
                let row = try subject.present("d4")
                try subject.saveBeside { $0.delete(row) }
                subject.expect(try subject.row(row.reference)?.key, is: nil, "row")
            },
            ContractCase("Two reads see what was saved between them") { subject in
                guard let row = try subject.rows("Book", [subject["b4"]]).first else {
                    throw Subject.Absent(name: "b4")
                }
                try subject.saveBeside { $0.update(row, ["pages": 121]) }
                let again = try subject.rows("Book", [subject["b4"]])
                subject.expect(again.first?.number("pages"), is: 121, "pages")
            },
        ]

    // MARK: Delivery

    private static let delivery: [ContractCase] = [
        ContractCase(reading: "Rows come with the number of their own entity") { subject in
            let rows = try subject.rows(subject.fetch("Book", sort: ["published"]))
            subject.expect(
                rows.map(\.layout.name), is: ["Book", "Novel", "Saga", "Book", "Novel", "Book", "Novel", "Saga"],
                "entities")
        },
        ContractCase(reading: "Rows read by key come with the number of their own entity") { subject in
            for name in ["b1", "b2", "b3"] {
                subject.expect(try subject.present(name).reference, is: subject[name], name)
            }
        },
        ContractCase(reading: "Rows have the values of inherited and own attributes") { subject in
            let row = try subject.present("b3")
            subject.expect(row.text("title"), is: "Gamma", "title")
            subject.expect(row.number("pages"), is: 300, "pages")
            subject.expect(row.number("chapters"), is: 20, "chapters")
            subject.expect(row.number("volumes"), is: 3, "volumes")
            subject.expect(row.reference("author"), is: subject["ada"], "author")
        },
        ContractCase(reading: "Cells without a value are absent") { subject in
            let row = try subject.present("b7")
            subject.expect(Set(row.values.keys), is: ["title", "price", "published"], "present cells")
        },
        ContractCase(reading: "Rows of a first save are of version 1") { subject in
            let rows = try subject.rows(subject.fetch("Book"))
            subject.expect(Set(rows.map(\.version)), is: [1], "versions")
        },
        ContractCase(reading: "Values that a fetch's sink does not want are not delivered, the other rows are") {
            subject in
            let found = try subject.collect(unwanted: [subject["b2"], subject["b8"]]) {
                try subject.session.fetchRows(subject.fetch("Book", sort: ["published"]), into: $0)
            }
            subject.expect(subject.named(found.announced), is: books, "announced")
            subject.expect(
                subject.named(found.rows.map(\.reference)), is: ["b1", "b3", "b4", "b5", "b6", "b7"], "delivered")
        },
        ContractCase(reading: "Values that a sink does not want when it reads by key are not delivered") { subject in
            let found = try subject.collect(unwanted: [subject["b2"]]) {
                try subject.session.readRows(
                    keys: [subject["b1"].key, subject["b2"].key, subject["b3"].key], of: Bookshop.layout("Book"),
                    into: $0)
            }
            subject.expect(subject.named(found.announced).sorted(), is: ["b1", "b2", "b3"], "announced")
            subject.expect(subject.named(found.rows.map(\.reference)).sorted(), is: ["b1", "b3"], "delivered")
        },
        ContractCase("A row stays valid as long as its slab, whatever is written") { subject in
            let buffer = RowBuffer()
            try subject.session.fetchRows(subject.fetch("Book", "title == 'Gamma'"), into: buffer)
            try subject.saveBeside { $0.update(try subject.present("b3"), ["title": "Another title than before"]) }
            for row in buffer.rows {
                let kept = StoredRow(subject["b3"], Bookshop.layout("Saga"), row.row, row.slab)
                subject.expect(kept.text("title"), is: "Gamma", "title")
            }
            subject.expect(buffer.rows.count, is: 1, "rows")
        },
        ContractCase("Many rows are read whole") { subject in
            try subject.saveBeside { save in
                for number in 0..<1500 { save.insert("Sample", ["int": number, "text": "text number \(number)"]) }
            }
            let rows = try subject.rows(subject.fetch("Sample", sort: ["int"]))
            subject.expect(rows.map { $0.number("int") ?? -1 }, is: (0..<1500).map(Double.init), "numbers")
            subject.expect(
                rows.allSatisfy { $0.text("text") == "text number \(Int($0.number("int") ?? -1))" },
                "texts are mixed up")
        },
    ]
}
