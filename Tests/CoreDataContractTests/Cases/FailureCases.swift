import CoreDataRowStorage
import Foundation
import PredicateFormat

/// What cannot be done: each function throws, and nothing is taken for empty.
enum FailureCases {
    static let all: [ContractCase] = Question.allCases.flatMap(wrong) + dictionaries + retiring

    /// The functions that a fetch is put to.
    private enum Question: CaseIterable, Sendable {
        case rows, references, count, dictionaries

        func ask(_ subject: Subject, _ fetch: StoreFetch) throws {
            switch self {
            case .rows: try subject.session.fetchRows(fetch, into: RowCollector())
            case .references: _ = try subject.session.fetchReferences(fetch)
            case .count: _ = try subject.session.countRows(fetch)
            case .dictionaries:
                var table = FetchTable()
                table.columns = [FetchColumn(name: "title", content: .path(["title"]))]
                _ = try subject.dictionaries(fetch, table)
            }
        }

        /// A count has no order to go wrong.
        var hasOrder: Bool { self != .count }
    }

    private static func wrong(_ question: Question) -> [ContractCase] {
        let predicates = [
            "nonsense == 1", "author.nonsense == 1", "ANY tags.nonsense == 1", "title.nonsense == 1",
            "SUBQUERY(tags, $t, $t.nonsense == 1).@count > 0", "title MATCHES '['",
        ]
        return predicates.map { format in
            ContractCase(reading: "\(question) of what means nothing is an error: \(format)") { subject in
                subject.failure(of: format, code: NSCoreDataError) {
                    try question.ask(subject, subject.fetch("Book", format))
                }
            }
        }
            + (question.hasOrder ? ["nonsense", "author.nonsense", "tags"] : []).map { key in
                ContractCase(reading: "\(question) in an order that means nothing is an error: \(key)") { subject in
                    subject.failure(of: "An order by \(key)", code: NSCoreDataError) {
                        try question.ask(subject, subject.fetch("Book", sort: [key]))
                    }
                }
            }
    }

    private static func column(_ path: String...) -> FetchColumn {
        FetchColumn(name: path.joined(separator: "."), content: .path(path))
    }

    private static let dictionaries: [ContractCase] = [
        ContractCase(reading: "A column that is no property is an error") { subject in
            for path in [column("nonsense"), column("author", "nonsense")] {
                var table = FetchTable()
                table.columns = [path]
                subject.failure(of: "A column \(path.name)", code: NSCoreDataError) {
                    _ = try subject.dictionaries(subject.fetch("Book"), table)
                }
            }
        },
        ContractCase(reading: "A column that is neither grouped nor computed is an error") { subject in
            var table = FetchTable()
            table.groups = [column("title")]
            table.columns = [column("title"), column("pages")]
            subject.failure(of: "Such a column", code: NSCoreDataError) {
                _ = try subject.dictionaries(subject.fetch("Book"), table)
            }
        },
        ContractCase(reading: "A predicate over groups without groups is an error") { subject in
            var table = FetchTable()
            table.columns = [column("title")]
            table.having = try .parse("title == 'x'")
            subject.failure(of: "Such a predicate", code: NSCoreDataError) {
                _ = try subject.dictionaries(subject.fetch("Book"), table)
            }
        },
    ]

    // MARK: Copying

    private struct Refusal: Error {}

    private static let retiring: [ContractCase] = [
        ContractCase("A copy has the result of what makes it") { subject in
            subject.expect(try subject.engine.retiring { 42 }, is: 42, "result")
        },
        ContractCase("What is saved after a copy is an error, and not written") { subject in
            let tag = try subject.present("red")
            try subject.engine.retiring {}
            subject.failure(of: "A save after a copy", code: NSPersistentStoreOperationError) {
                try subject.save { $0.update(tag, ["weight": 9]) }
            }
            subject.expect(try subject.present("red").number("weight"), is: 1, "weight")
        },
        ContractCase("A copy sees what was saved before, and can be read afterwards") { subject in
            try subject.save { $0.insert("Tag", ["word": "copied"]) }
            subject.expect(try subject.engine.retiring { try subject.count("Tag") }, is: 5, "tags within")
            subject.expect(try subject.count("Tag"), is: 5, "tags afterwards")
        },
        ContractCase("A copy that fails leaves the store as it was") { subject in
            let error = subject.failure(of: "The copy") { try subject.engine.retiring { throw Refusal() } }
            subject.expect(error is Refusal, "Another error: \(String(describing: error))")
            try subject.save { $0.insert("Tag", ["word": "after"]) }
            subject.expect(try subject.count("Tag"), is: 5, "tags")
        },
    ]
}
