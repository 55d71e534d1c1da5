import CoreDataRowStorage
import Foundation

/// What a save writes: values of every kind, versions, deletions.
enum SaveCases {
    static let all: [ContractCase] = samples.flatMap(values) + extremes.map(extreme) + rows + batches

    // MARK: Values

    private struct Sample: Sendable {
        var name: String
        var value: any Sendable
        var other: any Sendable
    }

    private static let samples: [Sample] = [
        Sample(name: "short", value: 12, other: -7), Sample(name: "int", value: 70_000, other: -1),
        Sample(name: "long", value: 5_000_000_000, other: 0), Sample(name: "flag", value: true, other: false),
        Sample(name: "double", value: 0.1, other: -3.5), Sample(name: "float", value: 0.5, other: 8.25),
        Sample(name: "date", value: Stock.firstDay, other: Date(timeIntervalSinceReferenceDate: -0.125)),
        Sample(name: "text", value: "some text", other: "another text, longer than it was"),
        Sample(name: "link", value: link("https://example.org/a?b#c"), other: link("file:///tmp/x")),
        Sample(name: "bytes", value: Data([0, 1, 2, 255]), other: Data(repeating: 7, count: 300)),
        Sample(name: "uuid", value: uuid("6F9619FF-8B86-D011-B42D-00CF4FC964FF"), other: UUID()),
        Sample(name: "decimal", value: Decimal(12345) / 100, other: Decimal(-1)),
    ]

    private static func link(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
    private static func uuid(_ text: String) -> UUID { UUID(uuidString: text) ?? UUID() }

    private static func isSame(_ found: Any?, _ expected: Any?) -> Bool {
        switch (found, expected) {
        case (nil, nil): true
        case (let found?, let expected?): AnyHashable.of(found) == AnyHashable.of(expected)
        default: false
        }
    }

    private static func expect(_ subject: Subject, _ row: RowReference, _ name: String, _ value: Any?) throws {
        let found = try subject.present(row).values[name]
        subject.expect(isSame(found, value), "\(name) is \(found ?? "nil") instead of \(value ?? "nil")")
    }

    private static func values(_ sample: Sample) -> [ContractCase] {
        [
            ContractCase("An inserted \(sample.name) is read as it was") { subject in
                let row = try subject.insert("Sample", [sample.name: sample.value])
                try expect(subject, row, sample.name, sample.value)
                subject.expect(Set(try subject.present(row).values.keys), is: [sample.name], "present cells")
            },
            ContractCase("An updated \(sample.name) is read as it is now") { subject in
                let row = try subject.insert("Sample", [sample.name: sample.value, "count": 3])
                try subject.save { $0.update(try subject.present(row), [sample.name: sample.other]) }
                try expect(subject, row, sample.name, sample.other)
                try expect(subject, row, "count", 3)
            },
            ContractCase("\(sample.name) may become nil, and a value again") { subject in
                let row = try subject.insert("Sample", [sample.name: sample.value])
                try subject.save { $0.update(try subject.present(row), [sample.name: nil]) }
                try expect(subject, row, sample.name, nil)
                try subject.save { $0.update(try subject.present(row), [sample.name: sample.other]) }
                try expect(subject, row, sample.name, sample.other)
            },
        ]
    }

    private static let extremes: [(name: String, value: any Sendable)] = [
        ("short", Int(Int16.max)), ("short", Int(Int16.min)), ("int", Int(Int32.max)), ("int", Int(Int32.min)),
        ("long", Int.max), ("long", Int.min), ("double", Double.greatestFiniteMagnitude),
        ("double", Double.leastNonzeroMagnitude), ("double", -Double.infinity), ("text", ""), ("text", "é🚲\u{301}漢"),
        ("text", "a\u{0}b"), ("text", String(repeating: "long ", count: 30_000)), ("bytes", Data()),
        ("bytes", Data(repeating: 0, count: 200_000)), ("date", Date.distantPast), ("date", Date.distantFuture),
    ]

    private static func extreme(_ sample: (name: String, value: any Sendable)) -> ContractCase {
        ContractCase("\(sample.name) may be \(String("\(sample.value)".prefix(20)).debugDescription)") { subject in
            let row = try subject.insert("Sample", [sample.name: sample.value])
            try expect(subject, row, sample.name, sample.value)
        }
    }

    // MARK: Rows

    private static let rows: [ContractCase] = [
        ContractCase("A new row is of version 1, and each update adds 1") { subject in
            let row = try subject.insert("Tag", ["word": "v"])
            for version in 1...4 {
                subject.expect(try subject.present(row).version, is: UInt32(version), "version")
                try subject.save { $0.update(try subject.present(row), ["weight": version]) }
            }
        },
        ContractCase("An update without changed cells advances the version all the same") { subject in
            try subject.save { $0.update(try subject.present("b1")) }
            subject.expect(try subject.present("b1").version, is: 2, "version")
            subject.expect(try subject.present("b1").text("title"), is: "Alpha", "title")
        },
        ContractCase("An update writes the cells that changed, and no others") { subject in
            let known = try subject.present("b3")
            try subject.save { save in
                save.update(known, ["pages": 301])
                // Of a cell without its changed bit the row's value says nothing.
                save.changes.updates[0].layout.clear(save.changes.updates[0].rows[0].row, 0)
            }
            let row = try subject.present("b3")
            subject.expect(row.number("pages"), is: 301, "pages")
            subject.expect(row.text("title"), is: "Gamma", "title")
            subject.expect(row.number("volumes"), is: 3, "volumes")
        },
        ContractCase("Rows of all entities of a hierarchy are updated in one save") { subject in
            try subject.save { save in
                for name in ["b1", "b2", "b3"] { save.update(try subject.present(name), ["pages": 1]) }
            }
            subject.expect(try subject.session.countRows(subject.fetch("Book", "pages == 1")), is: 3, "updated rows")
        },
        ContractCase("A deleted row is gone, the others stay") { subject in
            try subject.save { $0.delete(try subject.present("b6")) }
            subject.expect(try subject.row(subject["b6"])?.key, is: nil, "row")
            let found = try subject.session.fetchReferences(subject.fetch("Book", sort: ["published"]))
            subject.expect(subject.named(found), is: ["b1", "b2", "b3", "b4", "b5", "b7", "b8"], "rows")
        },
        ContractCase("Many rows are deleted in one save") { subject in
            try subject.save { save in for number in 0..<60 { save.insert("Sample", ["int": number]) } }
            let gone = try subject.rows(subject.fetch("Sample", "int < 50"))
            try subject.save { save in for row in gone { save.delete(row) } }
            subject.expect(try subject.count("Sample"), is: 10, "rows")
        },
        ContractCase("A row that is only checked stays as it is") { subject in
            try subject.save { $0.lock(try subject.present("b2")) }
            subject.expect(try subject.present("b2").version, is: 1, "version")
        },
        ContractCase("Insertions, updates and deletions of one save are all written") { subject in
            let (b1, b6) = (try subject.present("b1"), try subject.present("b6"))
            try subject.save { save in
                save.insert("Book", ["title": "new"])
                save.update(b1, ["title": "changed"])
                save.delete(b6)
            }
            subject.expect(try subject.session.countRows(subject.fetch("Book", "title == 'new'")), is: 1, "new rows")
            subject.expect(try subject.present("b1").text("title"), is: "changed", "title")
            subject.expect(try subject.row(subject["b6"])?.key, is: nil, "row")
        },
        ContractCase("Transient attributes are not kept") { subject in
            let row = try subject.insert("Book", ["title": "t", "mood": "gloomy"])
            subject.expect(try subject.present(row).text("mood"), is: nil, "mood")
            try subject.save { $0.update(try subject.present(row), ["mood": "bright", "pages": 2]) }
            subject.expect(try subject.present(row).text("mood"), is: nil, "mood after an update")
            subject.expect(try subject.present(row).number("pages"), is: 2, "pages")
        },
        ContractCase("A save of nothing changes nothing") { subject in
            try subject.save { _ in }
            subject.expect(try subject.count("Book"), is: 8, "books")
            subject.expect(try subject.present("b1").version, is: 1, "version")
        },
        ContractCase("A save leaves the rows it was given as they are") { subject in
            let builder = SaveBuilder()
            builder.insert("Tag", ["word": "given"])
            let row = builder.changes.inserts[0].rows[0]
            _ = try subject.session.save(builder.changes)
            subject.expect(EntityLayout.version(row.row), is: 0, "version")
            subject.expect(row.key, is: -1, "key")
            withExtendedLifetime(builder) {}
        },
        ContractCase("Derived attributes follow what they are derived from", needs: .derivations) { subject in
            subject.expect(try subject.present("ada").text("shout"), is: "ADA", "text")
            subject.expect(try subject.present("ada").number("bookCount"), is: 3, "count")
            try subject.save { $0.insert("Book", ["author": subject["ada"]]) }
            subject.expect(try subject.present("ada").number("bookCount"), is: 4, "count after an insertion")
            try subject.save { $0.update(try subject.present("ada"), ["name": "Eve"]) }
            subject.expect(try subject.present("ada").text("shout"), is: "EVE", "text after an update")
        },
        ContractCase("A save tells which rows' derived attributes were computed", needs: .derivations) { subject in
            let keys = try subject.save { $0.insert("Book", ["author": subject["bob"]]) }
            subject.expect(subject.named(keys.recomputed).contains("bob"), "bob is not told: \(keys.recomputed)")
        },
    ]

    // MARK: Many at once

    private static let batches: [ContractCase] = [1, 2, 17, 100, 1000].map { count in
        ContractCase("\(count) rows in one save") { subject in
            try subject.save { save in
                for number in 0..<count { save.insert("Sample", ["int": number, "text": "text \(number)"]) }
            }
            let rows = try subject.rows(subject.fetch("Sample", sort: ["int"]))
            subject.expect(rows.map { $0.text("text") }, is: (0..<count).map { "text \($0)" }, "texts")
            try subject.save { save in for row in rows { save.update(row, ["long": row.key]) } }
            let changed = try subject.rows(subject.fetch("Sample", sort: ["int"]))
            subject.expect(changed.map { Int64($0.number("long") ?? 0) }, is: rows.map(\.key), "numbers")
        }
    }
}

extension AnyHashable {
    /// A value to be compared with another, however it is boxed.
    static func of(_ value: Any) -> AnyHashable {
        if let number = value as? NSNumber { return AnyHashable(number) }
        return value as? AnyHashable ?? AnyHashable("\(value)")
    }
}
