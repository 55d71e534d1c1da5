import CoreDataRowStorage

/// What saves do to relationships.
enum LinkCases {
    static let all: [ContractCase] = toOne + manyToMany + ordered + deletions

    private static let toOne: [ContractCase] = [
        ContractCase("A new row may lead to another new one") { subject in
            var author: RowReference?
            let keys = try subject.save { save in
                author = save.insert("Author", ["name": "Dan"])
                if let author { save.insert("Novel", ["title": "first", "author": author]) }
            }
            guard let author else { return }
            let dan = try subject.permanent(keys, author, "Author")
            let books = try subject.rows(subject.fetch("Book", "title == 'first'"))
            subject.expect(books.map { $0.reference("author") }, is: [dan], "authors")
            subject.expect(
                try subject.session.readToMany(
                    Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"), key: dan.key),
                is: ContiguousArray(books.map(\.reference)), "books")
        },
        ContractCase("A new row that leads to one inserted after it") { subject in
            var author: RowReference?
            let keys = try subject.save { save in
                save.insert("Book", ["title": "early", "author": RowReference(entityNumber: 0, key: -2)])
                author = save.insert("Author", ["name": "Late"])
            }
            guard let author else { return }
            let late = try subject.permanent(keys, author, "Author")
            let found = try subject.rows(subject.fetch("Book", "author.name == 'Late'"))
            subject.expect(found.map { $0.reference("author") }, is: [late], "authors")
        },
        ContractCase("A to-one that changes moves the row from one owner to another") { subject in
            try subject.save { $0.update(try subject.present("b1"), ["author": subject["cyd"]]) }
            subject.expect(
                try subject.members("books", of: "Author", subject["ada"]).sorted(), is: ["b2", "b3"], "ada's")
            subject.expect(try subject.members("books", of: "Author", subject["cyd"]), is: ["b1"], "cyd's")
        },
        ContractCase("A to-one that becomes nil takes the row from its owner") { subject in
            try subject.save { $0.update(try subject.present("b5"), ["author": nil]) }
            subject.expect(try subject.present("b5").reference("author"), is: nil, "author")
            subject.expect(
                try subject.members("books", of: "Author", subject["bob"]).sorted(), is: ["b4", "b8"], "bob's")
        },
        ContractCase("An existing row may lead to a new one") { subject in
            let b6 = try subject.present("b6")
            var author: RowReference?
            let keys = try subject.save { save in
                let made = save.insert("Author", ["name": "New"])
                save.update(b6, ["author": made])
                author = made
            }
            guard let author else { return }
            subject.expect(
                try subject.present("b6").reference("author"), is: try subject.permanent(keys, author, "Author"),
                "author")
        },
    ]

    private static let manyToMany: [ContractCase] = [
        ContractCase("A member that is added is one on both sides") { subject in
            let (b3, blue) = (try subject.present("b3"), subject["blue"])
            try subject.save { save in
                save.update(b3)
                save.link(b3.reference, "Saga", "tags", add: [blue])
            }
            subject.expect(try subject.members("tags", of: "Saga", b3.reference), is: ["blue"], "tags")
            subject.expect(try subject.members("books", of: "Tag", blue).sorted(), is: ["b3", "b4"], "books")
        },
        ContractCase("A member that is removed is none on both sides") { subject in
            let b1 = try subject.present("b1")
            try subject.save { save in
                save.update(b1)
                save.link(b1.reference, "Book", "tags", remove: [subject["red"]])
            }
            subject.expect(try subject.members("tags", of: "Book", b1.reference), is: ["green"], "tags")
            subject.expect(try subject.members("books", of: "Tag", subject["red"]), is: ["b2"], "books")
        },
        ContractCase("A pair that is told from both sides is one") { subject in
            let (b3, red) = (try subject.present("b3"), try subject.present("red"))
            try subject.save { save in
                save.update(b3)
                save.update(red)
                save.link(b3.reference, "Saga", "tags", add: [red.reference])
                save.link(red.reference, "Tag", "books", add: [b3.reference])
            }
            subject.expect(try subject.members("tags", of: "Saga", b3.reference), is: ["red"], "tags")
            subject.expect(
                try subject.members("books", of: "Tag", red.reference).sorted(), is: ["b1", "b2", "b3"], "books")
        },
        ContractCase("Members come and go in one save") { subject in
            let green = try subject.present("green")
            try subject.save { save in
                save.update(green)
                save.link(
                    green.reference, "Tag", "books", add: [subject["b7"], subject["b8"]],
                    remove: [subject["b1"], subject["b4"]])
            }
            subject.expect(
                try subject.members("books", of: "Tag", green.reference).sorted(), is: ["b7", "b8"], "books")
            subject.expect(try subject.members("tags", of: "Book", subject["b1"]), is: ["red"], "tags of b1")
        },
        ContractCase("New rows are linked to new ones") { subject in
            var tag: RowReference?
            let keys = try subject.save { save in
                let made = save.insert("Tag", ["word": "linked"])
                let books = (0..<3).map { save.insert("Book", ["pages": 5000 + $0]) }
                save.link(made, "Tag", "books", add: books)
                tag = made
            }
            guard let tag else { return }
            let found = try subject.members("books", of: "Tag", subject.permanent(keys, tag, "Tag"))
            subject.expect(found.count, is: 3, "books")
            subject.expect(
                try subject.session.countRows(subject.fetch("Book", "ANY tags.word == 'linked'")), is: 3, "by predicate"
            )
        },
        ContractCase("A relationship of an entity to itself is the same from both ends") { subject in
            let b3 = try subject.present("b3")
            try subject.save { save in
                save.update(b3)
                save.link(b3.reference, "Saga", "related", add: [subject["b4"]])
            }
            subject.expect(try subject.members("related", of: "Book", subject["b4"]), is: ["b3"], "from the other end")
            let b1 = try subject.present("b1")
            try subject.save { save in
                save.update(b1)
                save.link(b1.reference, "Book", "related", remove: [subject["b2"]])
            }
            subject.expect(try subject.members("related", of: "Novel", subject["b2"]), is: [], "after its end")
        },
        ContractCase("Members without a way back") { subject in
            let s2 = try subject.present("s2")
            try subject.save { save in
                save.update(s2)
                save.link(s2.reference, "Shelf", "books", add: [subject["b7"]])
            }
            subject.expect(try subject.members("books", of: "Shelf", s2.reference), is: ["b7"], "books of s2")
            subject.expect(
                try subject.members("books", of: "Shelf", subject["s1"]).sorted(), is: ["b1", "b5"], "books of s1")
        },
    ]
}
