import CoreDataRowStorage
import Foundation

/// Relationships that lead to rows which are not there.
enum DestinationCases {
    static let all: [ContractCase] = missing + present

    private static let nobody = RowReference(entityNumber: 1, key: 4711)

    private static let missing: [ContractCase] = [
        ContractCase("A new row that leads to none is refused") { subject in
            subject.expect(subject.missing { $0.insert("Book", ["author": nobody]) }, is: [nobody], "rows")
            subject.expect(try subject.count("Book"), is: 8, "books")
        },
        ContractCase("An update that leads to none is refused") { subject in
            let b1 = try subject.present("b1")
            subject.expect(subject.missing { $0.update(b1, ["author": nobody]) }, is: [nobody], "rows")
            subject.expect(try subject.present("b1").reference("author"), is: subject["ada"], "author")
        },
        ContractCase("A row that another writer has deleted is not led to") { subject in
            let b6 = try subject.present("b6")
            try subject.saveBeside { $0.delete(try subject.present("cyd")) }
            subject.expect(
                subject.missing { $0.update(b6, ["author": subject["cyd"]]) }, is: [subject["cyd"]], "rows")
            subject.expect(try subject.present("b6").reference("author"), is: nil, "author")
        },
        ContractCase("A row that the save itself deletes is not led to") { subject in
            let (b6, cyd) = (try subject.present("b6"), try subject.present("cyd"))
            let found = subject.missing { save in
                save.delete(cyd)
                save.update(b6, ["author": cyd.reference])
            }
            subject.expect(found, is: [cyd.reference], "rows")
            subject.expect(try subject.row(cyd.reference)?.text("name"), is: "Cyd", "name")
        },
        ContractCase("A member of a many-to-many that is not there is refused") { subject in
            let (b1, gone) = (try subject.present("b1"), RowReference(entityNumber: 9, key: 4711))
            let found = subject.missing { save in
                save.update(b1)
                save.link(b1.reference, "Book", "tags", add: [gone])
            }
            subject.expect(found, is: [gone], "rows")
            subject.expect(
                try subject.members("tags", of: "Book", b1.reference).sorted(), is: ["green", "red"], "tags")
            subject.expect(try subject.present("b1").version, is: 1, "version")
        },
        ContractCase("A member without a way back that is not there is refused") { subject in
            let (s1, gone) = (try subject.present("s1"), RowReference(entityNumber: 2, key: 4711))
            let found = subject.missing { save in
                save.update(s1)
                save.link(s1.reference, "Shelf", "books", add: [gone])
            }
            subject.expect(found, is: [gone], "rows")
        },
        ContractCase("All rows that are not there are told, each once") { subject in
            let others = (1...3).map { RowReference(entityNumber: 1, key: 5000 + $0) }
            let found = subject.missing { save in
                for other in others + others { save.insert("Book", ["author": other]) }
                save.insert("Draft", ["author": subject["ada"]])
            }
            subject.expect(found, is: Set(others), "rows")
        },
        ContractCase("Nothing is written of a save that leads to none") { subject in
            let (b1, d4) = (try subject.present("b1"), try subject.present("d4"))
            _ = subject.missing { save in
                save.insert("Book", ["title": "lost"])
                save.update(b1, ["pages": 7])
                save.delete(d4)
                save.link(b1.reference, "Book", "tags", add: [subject["blue"]])
                save.insert("Draft", ["author": nobody])
            }
            try subject.expectUntouched()
        },
        ContractCase("Conflicts are told before rows that are not there") { subject in
            let b1 = try subject.present("b1")
            let conflicts = subject.conflicts { $0.update(b1, ["author": nobody], version: 9) }
            subject.expect(conflicts?.changed.map(\.key), is: [b1.key], "conflicting rows")
        },
        ContractCase("A temporary row that the save has not is an error of the Cocoa domain") { subject in
            subject.failure(of: "Leading to an unsaved row", code: NSManagedObjectReferentialIntegrityError) {
                try subject.save { $0.insert("Book", ["author": RowReference(entityNumber: 0, key: -99)]) }
            }
            subject.expect(try subject.count("Book"), is: 8, "books")
        },
        ContractCase("A temporary member that the save has not is an error of the Cocoa domain") { subject in
            let b1 = try subject.present("b1")
            subject.failure(of: "An unsaved member", code: NSManagedObjectReferentialIntegrityError) {
                try subject.save { save in
                    save.update(b1, ["pages": 3])
                    save.link(b1.reference, "Book", "tags", add: [RowReference(entityNumber: 0, key: -99)])
                }
            }
            subject.expect(try subject.present("b1").number("pages"), is: 100, "pages")
        },
    ]

    private static let present: [ContractCase] = [
        ContractCase("A cell that does not change is not looked at") { subject in
            // The graph finds out itself about what it does not change.
            let b1 = try subject.present("b1")
            try subject.save { $0.update(b1, ["pages": 101]) }
            subject.expect(try subject.present("b1").reference("author"), is: subject["ada"], "author")
        },
        ContractCase("A row that the save updates is there") { subject in
            let cyd = try subject.present("cyd")
            try subject.save { save in
                save.update(cyd, ["rating": 1.0])
                save.insert("Book", ["title": "there", "author": cyd.reference])
            }
            subject.expect(try subject.members("books", of: "Author", cyd.reference).count, is: 1, "books")
        },
        ContractCase("A row that is inserted with a reserved key is there") { subject in
            let key = try subject.engine.reserveKeys(count: 1, of: Bookshop.layout("Author")).first
            try subject.save { save in
                let author = save.insert("Author", ["name": "Reserved"], key: key)
                save.insert("Book", ["title": "there", "author": author])
            }
            let found = try subject.rows(subject.fetch("Book", "author.name == 'Reserved'"))
            subject.expect(found.count, is: 1, "books")
        },
    ]
}

extension Subject {
    /// The rows that a save leads to and that are not there. Another error than the one for them is a finding.
    func missing(_ fill: (SaveBuilder) throws -> Void) -> Set<RowReference> {
        guard let error = failure(of: "A save that leads to no row", { try save(fill) }) else { return [] }
        if let missing = error as? MissingDestinations { return missing.references }
        expect(false, "Rows that are not there are told as \(error)")
        return []
    }
}
