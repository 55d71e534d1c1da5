import CoreDataRowStorage

/// What to-many relationships lead to, one owner at a time and many at once.
enum ToManyCases {
    static let all: [ContractCase] = links.flatMap(cases) + others

    private struct Link: Sendable {
        var entity: String
        var relationship: String
        var isOrdered = false
        /// Members by owner.
        var members: [String: [String]]
    }

    private static let links: [Link] = [
        Link(
            entity: "Author", relationship: "books",
            members: ["ada": ["b1", "b2", "b3"], "bob": ["b4", "b5", "b8"], "cyd": []]),
        Link(
            entity: "Author", relationship: "drafts", isOrdered: true,
            members: ["ada": ["d1", "d2", "d3"], "bob": [], "cyd": []]),
        Link(
            entity: "Book", relationship: "tags",
            members: ["b1": ["green", "red"], "b2": ["red"], "b3": [], "b4": ["blue", "green"]]),
        Link(
            entity: "Tag", relationship: "books",
            members: ["red": ["b1", "b2"], "green": ["b1", "b4"], "blue": ["b4"], "grey": []]),
        Link(
            entity: "Book", relationship: "fans", members: ["b1": ["r1", "r3"], "b3": ["r1"], "b4": ["r1"], "b2": []]),
        Link(
            entity: "Reader", relationship: "favourites", isOrdered: true,
            members: ["r1": ["b3", "b1", "b4"], "r2": [], "r3": ["b1"]]),
        Link(
            entity: "Shelf", relationship: "row", isOrdered: true, members: ["s1": ["b4", "b2"], "s2": []]),
        Link(entity: "Shelf", relationship: "books", members: ["s1": ["b1", "b5"], "s2": []]),
        Link(
            entity: "Book", relationship: "related",
            members: ["b1": ["b2", "b6"], "b2": ["b1"], "b6": ["b1"], "b3": []]),
    ]

    private static func cases(_ link: Link) -> [ContractCase] {
        let name = "\(link.entity).\(link.relationship)"
        let owners = link.members.keys.sorted()
        return [
            ContractCase(reading: "\(name) of one owner") { subject in
                for owner in owners {
                    let found = try subject.members(link.relationship, of: link.entity, subject[owner])
                    subject.expect(
                        link.isOrdered ? found : found.sorted(), is: link.members[owner] ?? [], "members of \(owner)")
                }
            },
            ContractCase(reading: "\(name) of many owners at once") { subject in
                try subject.readGroups(link.relationship, of: link.entity, owners, link.isOrdered, link.members)
            },
            ContractCase(reading: "\(name) of owners in another order") { subject in
                try subject.readGroups(
                    link.relationship, of: link.entity, owners.reversed(), link.isOrdered, link.members)
            },
            ContractCase(reading: "The rows of \(name) of each owner alone") { subject in
                for owner in owners {
                    try subject.readGroups(link.relationship, of: link.entity, [owner], link.isOrdered, link.members)
                }
            },
            ContractCase(reading: "\(name) of an owner that is not there") { subject in
                let none = RowReference(entityNumber: Bookshop.layout(link.entity).number, key: 4711)
                subject.expect(
                    try subject.members(link.relationship, of: link.entity, none), is: [], "members of nobody")
                try subject.readGroups(
                    link.relationship, of: link.entity, [owners[0]], link.isOrdered, link.members, besides: [4711])
            },
        ]
    }

    private static let others: [ContractCase] = [
        ContractCase(reading: "Members' rows have their values, and the number of their own entity") { subject in
            let found = try subject.collect { sink in
                try subject.session.readToManyRows(
                    Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"),
                    keys: [subject["ada"].key], into: sink, group: { _ in })
            }
            let titles = Dictionary(
                found.rows.map { (subject.named([$0.reference])[0], $0.text("title") ?? "") }
            ) { first, _ in first }
            subject.expect(titles, is: ["b1": "Alpha", "b2": "beta", "b3": "Gamma"], "titles")
            subject.expect(
                found.rows.allSatisfy { $0.reference("author") == subject["ada"] }, "A member does not lead back")
        },
        ContractCase(reading: "Values of members that a sink does not want are not delivered") { subject in
            let found = try subject.collect(unwanted: [subject["b4"]]) { sink in
                try subject.session.readToManyRows(
                    Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"),
                    keys: [subject["bob"].key, subject["ada"].key], into: sink, group: { _ in })
            }
            subject.expect(
                subject.named(found.announced).sorted(), is: ["b1", "b2", "b3", "b4", "b5", "b8"], "announced")
            subject.expect(
                subject.named(found.rows.map(\.reference)).sorted(), is: ["b1", "b2", "b3", "b5", "b8"], "delivered")
        },
        ContractCase(reading: "A relationship is read from the rows of entities below the one that has it") { subject in
            subject.expect(try subject.members("tags", of: "Novel", subject["b2"]), is: ["red"], "tags of a novel")
            subject.expect(try subject.members("related", of: "Novel", subject["b2"]), is: ["b1"], "related books")
        },
        ContractCase(reading: "No owners have no members") { subject in
            let found = try subject.collect { sink in
                try subject.session.readToManyRows(
                    Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"), keys: [], into: sink,
                    group: { _ in subject.expect(false, "A group was announced.") })
            }
            subject.expect(found.announced.count, is: 0, "rows")
        },
        ContractCase("Many members of many owners") { subject in
            try subject.saveBeside { save in
                for number in 0..<40 {
                    let author = save.insert("Author", ["name": "many \(number)"])
                    for book in 0..<number { save.insert("Book", ["pages": book, "author": author]) }
                }
            }
            let authors = try subject.rows(subject.fetch("Author", "name BEGINSWITH 'many'"))
            var owner: Int64 = 0
            var wrong = 0
            let collector = RowCollector { if $0.reference("author")?.key != owner { wrong += 1 } }
            try subject.session.readToManyRows(
                Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"),
                keys: ContiguousArray(authors.map(\.key)), into: collector, group: { owner = $0 })
            subject.expect(wrong, is: 0, "members of another owner")
            subject.expect(Set(collector.announced).count, is: 780, "different members")
        },
    ]
}

extension Subject {
    /// Expects the rows of many owners' relationship to come owner by owner.
    ///
    /// - Parameter besides: Keys to ask for that no owner has.
    func readGroups(
        _ relationship: String, of entity: String, _ owners: [String], _ isOrdered: Bool,
        _ expected: [String: [String]],
        besides: [Int64] = []
    ) throws {
        let keys = ContiguousArray(owners.map { self[$0].key } + besides)
        var groups: [(key: Int64, first: Int)] = []
        let collector = RowCollector()
        try session.readToManyRows(
            Bookshop.relationship(relationship, of: entity), of: Bookshop.layout(entity), keys: keys, into: collector
        ) { groups.append(($0, collector.announced.count)) }
        for violation in collector.violations { expect(false, violation) }
        expect(Set(groups.map(\.key)).count, is: groups.count, "owners announced once")
        expect(collector.rows.count, is: collector.announced.count, "rows with their values")
        expect(groups.first?.first ?? 0, is: 0, "rows before the first owner")
        var found: [String: [String]] = [:]
        for (index, group) in groups.enumerated() {
            let end = index + 1 < groups.count ? groups[index + 1].first : collector.announced.count
            guard let owner = owners.first(where: { self[$0].key == group.key }) else {
                expect(collector.announced[group.first..<end].isEmpty, "An owner was not asked for: \(group.key)")
                continue
            }
            let members = named(collector.announced[group.first..<end])
            found[owner] = isOrdered ? members : members.sorted()
        }
        for owner in owners { expect(found[owner] ?? [], is: expected[owner] ?? [], "members of \(owner)") }
    }
}
