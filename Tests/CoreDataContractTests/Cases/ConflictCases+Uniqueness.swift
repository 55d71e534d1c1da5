import CoreDataRowStorage

/// Saves that hit uniqueness constraints.
extension ConflictCases {
    static let unique: [ContractCase] = [
        ContractCase("A value that another row has is a conflict", needs: .uniqueness) { subject in
            var made: RowReference?
            let conflicts = subject.conflicts { made = $0.insert("Tag", ["word": "red"]) }
            subject.expect(conflicts?.duplicates.count, is: 1, "duplicates")
            guard let duplicate = conflicts?.duplicates.first else { return }
            subject.expect(duplicate.constraint, is: ["word"], "constraint")
            subject.expect(duplicate.layout.name, is: "Tag", "entity")
            subject.expect(duplicate.key, is: made?.key ?? 0, "key of the new row")
            subject.expect(duplicate.existing, is: subject["red"], "row that has the value")
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        },
        ContractCase("Two new rows of one value are a conflict", needs: .uniqueness) { subject in
            let conflicts = subject.conflicts { save in
                save.insert("Tag", ["word": "twin"])
                save.insert("Tag", ["word": "twin"])
            }
            subject.expect(conflicts?.duplicates.count, is: 1, "duplicates")
            subject.expect(conflicts?.duplicates.first?.existing.isTemporary, is: true, "temporary row that has it")
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        },
        ContractCase("An update to a value that another row has is a conflict", needs: .uniqueness) { subject in
            let blue = try subject.present("blue")
            let conflicts = subject.conflicts { $0.update(blue, ["word": "green"]) }
            subject.expect(conflicts?.duplicates.map(\.key), is: [blue.key], "rows")
            subject.expect(conflicts?.duplicates.map(\.existing), is: [subject["green"]], "rows that have the value")
            subject.expect(try subject.present("blue").text("word"), is: "blue", "word")
        },
        ContractCase("All duplicates of a save are told", needs: .uniqueness) { subject in
            let conflicts = subject.conflicts { save in
                for word in ["red", "other", "blue", "green"] { save.insert("Tag", ["word": word]) }
            }
            subject.expect(
                subject.named((conflicts?.duplicates ?? []).map(\.existing)).sorted(), is: ["blue", "green", "red"],
                "rows that have the values")
        },
        ContractCase("Nothing of a save with a duplicate is written", needs: .uniqueness) { subject in
            let (b1, d4) = (try subject.present("b1"), try subject.present("d4"))
            _ = subject.conflicts { save in
                save.insert("Book", ["title": "lost"])
                save.update(b1, ["pages": 7])
                save.delete(d4)
                save.insert("Tag", ["word": "red"])
            }
            try subject.expectUntouched()
        },
        ContractCase("Rows may swap their values in one save") { subject in
            let (red, blue) = (try subject.present("red"), try subject.present("blue"))
            try subject.save { save in
                save.update(red, ["word": "blue"])
                save.update(blue, ["word": "red"])
            }
            subject.expect(try subject.present("red").text("word"), is: "blue", "word of the first")
            subject.expect(try subject.present("blue").text("word"), is: "red", "word of the second")
        },
        ContractCase("A new row may take the value of one that is deleted") { subject in
            let red = try subject.present("red")
            try subject.save { save in
                save.delete(red)
                save.insert("Tag", ["word": "red"])
            }
            subject.expect(try subject.session.countRows(subject.fetch("Tag", "word == 'red'")), is: 1, "rows")
        },
        ContractCase("Any number of rows may have no value") { subject in
            try subject.save { save in for _ in 0..<3 { save.insert("Tag", ["word": nil]) } }
            subject.expect(try subject.session.countRows(subject.fetch("Tag", "word == nil")), is: 4, "rows")
        },
    ]
}
