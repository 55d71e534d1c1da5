import CoreDataRowStorage

/// Counting without reading.
enum CountCases {
    static let all: [ContractCase] = counts.map(count) + others

    private static let counts: [(entity: String, format: String?, deep: Int, alone: Int)] = [
        ("Book", nil, 8, 3), ("Novel", nil, 5, 3), ("Saga", nil, 2, 2), ("Author", nil, 3, 3), ("Sample", nil, 0, 0),
        ("Book", "pages > 100", 5, 2), ("Novel", "pages > 100", 3, 1), ("Book", "title == 'Alpha'", 2, 1),
        ("Book", "author != nil", 6, 2), ("Tag", "word == nil", 1, 1), ("Book", "pages > 10000", 0, 0),
    ]

    private static func count(
        _ question: (entity: String, format: String?, deep: Int, alone: Int)
    ) -> ContractCase {
        ContractCase(reading: "The number of \(question.entity) where \(question.format ?? "nothing is asked")") {
            subject in
            subject.expect(
                try subject.session.countRows(subject.fetch(question.entity, question.format)), is: question.deep,
                "count")
            subject.expect(
                try subject.session.countRows(
                    subject.fetch(question.entity, question.format, includesSubentities: false)),
                is: question.alone, "count without entities below")
        }
    }

    private static let others: [ContractCase] = [
        ContractCase(reading: "An order does not change a count") { subject in
            subject.expect(try subject.session.countRows(subject.fetch("Book", sort: ["-title"])), is: 8, "count")
        },
        ContractCase(reading: "Objects with several members that match count once") { subject in
            let fetch = try subject.fetch("Book", "ANY tags.weight > 0")
            subject.expect(try subject.session.countRows(fetch), is: 3, "count")
        },
        ContractCase("A count sees each save") { subject in
            try subject.save { $0.insert("Book") }
            subject.expect(try subject.count("Book"), is: 9, "count after an insertion")
            try subject.save { $0.delete(try subject.present("b6")) }
            subject.expect(try subject.count("Book"), is: 8, "count after a deletion")
        },
    ]
}
