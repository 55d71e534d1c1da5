import CoreDataRowStorage

/// Ordered relationships, and what deletions leave of any.
extension LinkCases {
    private static func reorder(_ what: String, _ order: [String]) -> ContractCase {
        let before = ["b3", "b1", "b4"]
        return ContractCase("An order is kept: \(what)") { subject in
            let r1 = try subject.present("r1")
            try subject.save { save in
                save.update(r1)
                save.link(
                    r1.reference, "Reader", "favourites",
                    add: order.filter { !before.contains($0) }.map { subject[$0] },
                    remove: before.filter { !order.contains($0) }.map { subject[$0] }, order: order.map { subject[$0] })
            }
            subject.expect(try subject.members("favourites", of: "Reader", r1.reference), is: order, "favourites")
            try subject.readGroups(
                "favourites", of: "Reader", ["r3", "r1"], true, ["r1": order, "r3": ["b1"]])
        }
    }

    static let ordered: [ContractCase] = [
        reorder("reversed", ["b4", "b1", "b3"]), reorder("the last first", ["b4", "b3", "b1"]),
        reorder("one more in the middle", ["b3", "b7", "b1", "b4"]),
        reorder("one more at the front", ["b8", "b3", "b1", "b4"]),
        reorder("one more at the end", ["b3", "b1", "b4", "b2"]), reorder("without the first", ["b1", "b4"]),
        reorder("without the middle", ["b3", "b4"]), reorder("others", ["b8", "b7", "b2", "b5"]), reorder("none", []),
        ContractCase("A one-to-many's order is kept") { subject in
            let ada = try subject.present("ada")
            for order in [["d3", "d1", "d2"], ["d2", "d3", "d1"]] {
                try subject.save { save in
                    save.update(try subject.present(ada.reference))
                    save.link(ada.reference, "Author", "drafts", order: order.map { subject[$0] })
                }
                subject.expect(try subject.members("drafts", of: "Author", ada.reference), is: order, "drafts")
            }
        },
        ContractCase("What joins from its to-one side goes to the end") { subject in
            try subject.save { $0.update(try subject.present("d4"), ["author": subject["ada"]]) }
            subject.expect(
                try subject.members("drafts", of: "Author", subject["ada"]), is: ["d1", "d2", "d3", "d4"], "drafts")
        },
        ContractCase("What leaves by its to-one side leaves the order of the others") { subject in
            try subject.save { $0.update(try subject.present("d2"), ["author": nil]) }
            subject.expect(try subject.members("drafts", of: "Author", subject["ada"]), is: ["d1", "d3"], "drafts")
        },
        ContractCase("Many members in order") { subject in
            var order: [RowReference] = []
            var reader: RowReference?
            let keys = try subject.save { save in
                let books = (0..<50).map { save.insert("Book", ["pages": $0]) }
                order = (0..<50).map { books[$0 * 7 % 50] }
                let made = save.insert("Reader", ["nick": "many"])
                save.link(made, "Reader", "favourites", add: order, order: order)
                reader = made
            }
            guard let reader else { return }
            let found = try subject.session.readToMany(
                Bookshop.relationship("favourites", of: "Reader"), of: Bookshop.layout("Reader"),
                key: subject.permanent(keys, reader, "Reader").key)
            subject.expect(found.map(\.key), is: order.compactMap { keys[$0.key] }, "books")
        },
    ]

    // MARK: Deletions

    static let deletions: [ContractCase] = [
        ContractCase("To-ones that led to a deleted row lead nowhere") { subject in
            try subject.save { $0.delete(try subject.present("ada")) }
            for name in ["b1", "b2", "b3", "d1"] {
                subject.expect(try subject.present(name).reference("author"), is: nil, "author of \(name)")
            }
            subject.expect(
                try subject.present("b4").reference("author"), is: subject["bob"], "author of b4")
        },
        ContractCase("Rows whose to-one ends with a deletion are of another version") { subject in
            try subject.save { $0.delete(try subject.present("bob")) }
            subject.expect(try subject.present("b4").version, is: 2, "version")
            subject.expect(try subject.present("b1").version, is: 1, "version of another's")
        },
        ContractCase("A deleted row is no member any more") { subject in
            try subject.save { $0.delete(try subject.present("b1")) }
            subject.expect(
                try subject.members("books", of: "Author", subject["ada"]).sorted(), is: ["b2", "b3"], "books")
            subject.expect(try subject.members("books", of: "Tag", subject["red"]), is: ["b2"], "books of a tag")
            subject.expect(
                try subject.members("favourites", of: "Reader", subject["r1"]), is: ["b3", "b4"], "favourites")
            subject.expect(try subject.members("related", of: "Book", subject["b6"]), is: [], "related")
            subject.expect(try subject.members("books", of: "Shelf", subject["s1"]), is: ["b5"], "books of a shelf")
        },
        ContractCase("A deleted row's members are nobody's") { subject in
            try subject.save { $0.delete(try subject.present("green")) }
            subject.expect(try subject.members("tags", of: "Book", subject["b1"]), is: ["red"], "tags of b1")
            subject.expect(try subject.members("tags", of: "Book", subject["b4"]), is: ["blue"], "tags of b4")
        },
        ContractCase("Owner and members are deleted in one save") { subject in
            let rows = try ["bob", "b4", "b5", "b8"].map { try subject.present($0) }
            try subject.save { save in for row in rows { save.delete(row) } }
            subject.expect(try subject.count("Book"), is: 5, "books")
            subject.expect(try subject.count("Author"), is: 2, "authors")
        },
    ]
}
