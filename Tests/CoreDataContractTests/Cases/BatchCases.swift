import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Changes of many rows without objects.
enum BatchCases {
    static let all: [ContractCase] = inserts + rules.map(rule) + updates + deletes + others

    private static func insert(
        _ rows: [[String: Any]], _ entity: String = "Tag", _ rule: BatchConflictRule = .fail
    ) -> BatchWork {
        BatchWork(.insert(.values(rows), Bookshop.layout(entity), rule))
    }

    private static let inserts: [ContractCase] = [
        ContractCase("Rows are inserted from values", needs: .batches) { subject in
            let outcome = try subject.session.run(insert([["word": "a", "weight": 10], ["word": "b"], [:]]))
            subject.expect(outcome.count, is: 3, "count")
            subject.expect(outcome.rows.count, is: 0, "rows that were not asked for")
            subject.expect(try subject.count("Tag"), is: 7, "tags")
            let row = try subject.rows(subject.fetch("Tag", "word == 'a'")).first
            subject.expect(row?.number("weight"), is: 10, "weight")
            subject.expect(row?.version, is: 1, "version")
        },
        ContractCase("The rows that were inserted are told in the order they were given", needs: .batches) { subject in
            var work = insert([["word": "z"], ["word": "y"], ["word": "x"]])
            work.wantsRows = true
            let outcome = try subject.session.run(work)
            let words = try outcome.rows.map { try subject.present($0).text("word") }
            subject.expect(words, is: ["z", "y", "x"], "words")
        },
        ContractCase("Rows are inserted from a dictionary that is filled", needs: .batches) { subject in
            var number = 0
            let rows = BatchRows.filled { dictionary in
                number += 1
                dictionary["int"] = number
                return number > 25
            }
            let outcome = try subject.session.run(BatchWork(.insert(rows, Bookshop.layout("Sample"), .fail)))
            subject.expect(outcome.count, is: 25, "count")
            let found = try subject.rows(subject.fetch("Sample", sort: ["int"]))
            subject.expect(found.map { $0.number("int") }, is: (1...25).map(Double.init), "numbers")
        },
        ContractCase("Attributes that are not given take their default values", needs: .batches) { subject in
            _ = try subject.session.run(insert([["text": "x"], ["text": "y", "count": 3]], "Sample"))
            let found = try subject.rows(subject.fetch("Sample", sort: ["text"]))
            subject.expect(found.map { $0.number("count") }, is: [7, 3], "numbers")
        },
        ContractCase("A name that is no attribute is an error, and nothing is inserted", needs: .batches) { subject in
            for name in ["nonsense", "books"] {
                subject.failure(of: "A batch that gives \(name)", code: NSCoreDataError) {
                    _ = try subject.session.run(insert([["word": "fine"], ["word": "bad", name: 1]]))
                }
            }
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        },
        ContractCase("Keys of inserted rows are nobody else's", needs: .batches) { subject in
            let reserved = try subject.engine.reserveKeys(count: 3, of: Bookshop.layout("Tag"))
            var work = insert([["word": "a"], ["word": "b"]])
            work.wantsRows = true
            let batch = try subject.session.run(work).rows.map(\.key)
            let saved = try subject.insert("Tag", ["word": "c"]).key
            let keys = reserved + [saved] + batch
            subject.expect(Set(keys).count, is: 6, "different keys")
        },
    ]

    private static let rules: [(rule: BatchConflictRule, weight: Double?, number: Int, count: Int)] = [
        (.keepStored, 1, 1, 5), (.overwriteGiven, 1, 2, 5), (.overwrite, nil, 2, 5),
    ]

    /// red is of weight 1, which the batch does not give.
    private static func rule(
        _ expected: (rule: BatchConflictRule, weight: Double?, number: Int, count: Int)
    ) -> ContractCase {
        ContractCase("A row whose values another has: \(expected.rule)", needs: [.batches, .uniqueness]) { subject in
            let outcome = try subject.session.run(insert([["word": "red"], ["word": "new"]], "Tag", expected.rule))
            subject.expect(outcome.count, is: expected.number, "count")
            subject.expect(try subject.count("Tag"), is: expected.count, "tags")
            subject.expect(try subject.present("red").number("weight"), is: expected.weight, "weight")
            let isSame = expected.rule == .keepStored
            subject.expect(try subject.present("red").version, is: isSame ? 1 : 2, "version")
        }
    }

    private static func update(_ fetch: StoreFetch, _ values: (String, Any)...) -> BatchWork {
        BatchWork(.update(fetch, values.map { BatchAssignment(name: $0, value: .constant($1)) }))
    }

    private static let updates: [ContractCase] = [
        ContractCase("An update gives a constant to what a fetch finds", needs: .batches) { subject in
            var work = update(try subject.fetch("Book", "pages > 250"), ("title", "long"), ("price", NSNull()))
            work.wantsRows = true
            let outcome = try subject.session.run(work)
            subject.expect(outcome.count, is: 3, "count")
            subject.expect(subject.named(outcome.rows).sorted(), is: ["b3", "b6", "b8"], "rows")
            try subject.ask(subject.fetch("Book", "title == 'long' AND price == nil"), ["b3", "b6", "b8"])
        },
        ContractCase("An update advances the versions of its rows alone", needs: .batches) { subject in
            _ = try subject.session.run(update(try subject.fetch("Book", "pages < 110"), ("pages", 1)))
            subject.expect(try subject.present("b1").version, is: 2, "version")
            subject.expect(try subject.present("b2").version, is: 1, "version of another row")
        },
        ContractCase("An update computes from each row", needs: .batches) { subject in
            let expression = try Bookshop.expression("pages * 2 + 1")
            let assignment = BatchAssignment(name: "pages", value: .expression(expression))
            let outcome = try subject.session.run(BatchWork(.update(try subject.fetch("Novel"), [assignment])))
            subject.expect(outcome.count, is: 5, "count")
            try subject.ask(subject.fetch("Book", "pages IN {501, 601, 181, 1601}"), ["b2", "b3", "b5", "b8"])
        },
        ContractCase("An update sets a to-one relationship", needs: .batches) { subject in
            _ = try subject.session.run(
                update(try subject.fetch("Book", "author == nil"), ("author", subject.object("cyd"))))
            subject.expect(
                try subject.members("books", of: "Author", subject["cyd"]).sorted(), is: ["b6", "b7"], "books")
        },
        ContractCase("An update of nothing is none", needs: .batches) { subject in
            let outcome = try subject.session.run(update(try subject.fetch("Book", "pages > 9000"), ("pages", 1)))
            subject.expect(outcome.count, is: 0, "count")
        },
        ContractCase("An update that a constraint forbids changes nothing", needs: [.batches, .uniqueness]) { subject in
            subject.failure(of: "A batch that makes values equal", code: NSManagedObjectConstraintMergeError) {
                _ = try subject.session.run(update(try subject.fetch("Tag"), ("word", "same"), ("weight", 9)))
            }
            subject.expect(try subject.session.countRows(subject.fetch("Tag", "weight == 9")), is: 0, "changed rows")
        },
        ContractCase("An update of what is no attribute is an error", needs: .batches) { subject in
            subject.failure(of: "A batch update of nonsense", code: NSCoreDataError) {
                _ = try subject.session.run(update(try subject.fetch("Tag"), ("nonsense", 9)))
            }
        },
        ContractCase("A context's save after an update is a conflict", needs: .batches) { subject in
            let known = try subject.present("b1")
            _ = try subject.session.run(update(try subject.fetch("Book", "pages == 100"), ("pages", 1)))
            let conflicts = subject.conflicts { $0.update(known, ["title": "mine"]) }
            subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
        },
    ]

    private static let deletes: [ContractCase] = [
        ContractCase("A deletion removes what a fetch finds", needs: .batches) { subject in
            var work = BatchWork(.delete(try subject.fetch("Book", "pages > 250")))
            work.wantsRows = true
            let outcome = try subject.session.run(work)
            subject.expect(outcome.count, is: 3, "count")
            subject.expect(subject.named(outcome.rows).sorted(), is: ["b3", "b6", "b8"], "rows")
            try subject.ask(subject.fetch("Book"), ["b1", "b2", "b4", "b5", "b7"])
        },
        ContractCase("A deletion takes rows out of relationships", needs: .batches) { subject in
            _ = try subject.session.run(BatchWork(.delete(try subject.fetch("Book", "title == 'Alpha'"))))
            subject.expect(try subject.members("books", of: "Tag", subject["red"]), is: ["b2"], "books of a tag")
            subject.expect(
                try subject.members("favourites", of: "Reader", subject["r1"]), is: ["b3", "b4"], "favourites")
            subject.expect(
                try subject.members("books", of: "Author", subject["bob"]).sorted(), is: ["b4", "b5"], "books")
        },
        ContractCase("A deletion keeps to the rules of its relationships", needs: .batches) { subject in
            _ = try subject.session.run(BatchWork(.delete(try subject.fetch("Author", "name == 'Ada'"))))
            subject.expect(try subject.count("Draft"), is: 1, "drafts, which go with their author")
            subject.expect(try subject.present("b1").reference("author"), is: nil, "author of a book, which stays")
        },
        ContractCase("A deletion has the limit of its fetch", needs: .batches) { subject in
            let outcome = try subject.session.run(
                BatchWork(.delete(try subject.fetch("Book", sort: ["-published"], limit: 2))))
            subject.expect(outcome.count, is: 2, "count")
            try subject.ask(subject.fetch("Book"), ["b1", "b2", "b3", "b4", "b5", "b6"])
        },
    ]

    private static let others: [ContractCase] = [
        ContractCase("An engine without the ability refuses batches", lacks: .batches) { subject in
            let works = [
                insert([["word": "x"]]), update(try subject.fetch("Tag"), ("weight", 1)),
                BatchWork(.delete(try subject.fetch("Tag"))),
            ]
            for work in works {
                subject.failure(of: "A batch", code: NSPersistentStoreUnsupportedRequestTypeError) {
                    _ = try subject.session.run(work)
                }
            }
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        },
        ContractCase("A batch that fails is not written at all", needs: [.batches, .uniqueness]) { subject in
            subject.failure(of: "A batch with a duplicate", code: NSManagedObjectConstraintMergeError) {
                _ = try subject.session.run(insert([["word": "one"], ["word": "two"], ["word": "red"]]))
            }
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        },
    ]
}
