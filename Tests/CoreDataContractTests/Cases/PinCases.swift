import CoreDataRowStorage
import Foundation

/// States that stay readable while others write, and what readers beside a writer see.
enum PinCases {
    static let all: [ContractCase] = pinned + present + beside

    /// Pins, writes, and reads both what was pinned and what is now.
    private static func pinned(
        _ what: String, write: @escaping @Sendable (Subject) throws -> Void,
        read: @escaping @Sendable (Subject) throws -> [String]
    ) -> ContractCase {
        ContractCase("A pinned state keeps \(what)", needs: .generations) { subject in
            let before = try read(subject)
            guard let state = try subject.engine.pin() else { return subject.expect(false, "Nothing was pinned.") }
            try write(subject)
            let now = try read(subject)
            subject.expect(now != before, "What was written is not seen")
            let generation = QueryGeneration([state], storeIdentifiers: [])
            subject.expect(try GenerationScope.with(generation) { try read(subject) }, is: before, "pinned")
            subject.expect(try read(subject), is: now, "present after a pinned read")
            try write(subject)
            subject.expect(try GenerationScope.with(generation) { try read(subject) }, is: before, "pinned, later")
        }
    }

    private static func addBook(_ subject: Subject) throws {
        try subject.save { $0.insert("Book", ["title": "pinned", "pages": 5, "author": subject["cyd"]]) }
    }

    private static func changeBook(_ subject: Subject) throws {
        let row = try subject.present("b1")
        try subject.save { $0.update(row, ["pages": Int(row.version) + 1000]) }
    }

    private static let pinned: [ContractCase] = [
        pinned("the rows that a fetch finds", write: addBook) { subject in
            subject.named(try subject.rows(subject.fetch("Book", sort: ["published", "title"])).map(\.reference))
        },
        pinned("the references that a fetch finds", write: addBook) { subject in
            subject.named(try subject.engine.fetchReferences(subject.fetch("Book", "pages < 200", sort: ["pages"])))
        },
        pinned("counts", write: addBook) { ["\(try $0.count("Book"))"] },
        pinned("dictionaries", write: changeBook) { subject in
            var table = FetchTable()
            table.columns = [FetchColumn(name: "pages", content: .path(["pages"]))]
            return try subject.dictionaries(subject.fetch("Book", sort: ["published"]), table).map {
                "\($0["pages"] ?? "nil")"
            }
        },
        pinned("rows that are read by key", write: changeBook) { subject in
            try subject.rows("Book", [subject["b1"], subject["b4"]]).map { "\($0.version) \($0.number("pages") ?? 0)" }
                .sorted()
        },
        pinned("rows that are read anew", write: changeBook) { subject in
            let row = try subject.present("b1")
            return ["\(row.version) \(row.number("pages") ?? 0)"]
        },
        pinned("members", write: addBook) { try $0.members("books", of: "Author", $0["cyd"]) },
        pinned("members of many owners", write: addBook) { subject in
            let owners = ContractedOwners(subject, ["ada", "cyd"])
            return try owners.members("books", of: "Author")
        },
        pinned(
            "rows that were deleted",
            write: { subject in
                guard let row = try subject.rows(subject.fetch("Book", sort: ["-published"], limit: 1)).first else {
                    return
                }
                try subject.save { $0.delete(row) }
            },
            read: { subject in
                subject.named(try subject.engine.fetchReferences(subject.fetch("Book", sort: ["published"])))
            }),
    ]

    /// Owners whose members are read at once.
    private struct ContractedOwners {
        let subject: Subject
        let keys: ContiguousArray<Int64>

        init(_ subject: Subject, _ names: [String]) {
            self.subject = subject
            keys = ContiguousArray(names.map { subject[$0].key })
        }

        func members(_ relationship: String, of entity: String) throws -> [String] {
            let found = try subject.collect { sink in
                try subject.engine.readToManyRows(
                    Bookshop.relationship(relationship, of: entity), of: Bookshop.layout(entity), keys: keys,
                    into: sink, group: { _ in })
            }
            return subject.named(found.announced).sorted()
        }
    }

    private static let present: [ContractCase] = [
        ContractCase("An engine without the ability pins nothing", lacks: .generations) { subject in
            subject.expect(try subject.engine.pin() == nil, "A state was pinned")
        },
        ContractCase("Other threads read the present state", needs: .generations) { subject in
            guard let state = try subject.engine.pin() else { return subject.expect(false, "Nothing was pinned.") }
            try addBook(subject)
            let engine = subject.engine
            let fetch = Unshared(try subject.fetch("Book"))
            let generation = QueryGeneration([state], storeIdentifiers: [])
            let count = GenerationScope.with(generation) {
                let thread = Reader { try engine.countRows(fetch.value) }
                return thread.result()
            }
            subject.expect(count, is: 9, "books")
        },
        ContractCase("Two pinned states are read side by side", needs: .generations) { subject in
            guard let first = try subject.engine.pin() else { return subject.expect(false, "Nothing was pinned.") }
            try addBook(subject)
            guard let second = try subject.engine.pin() else { return subject.expect(false, "Nothing was pinned.") }
            try addBook(subject)
            let (one, two) = (
                QueryGeneration([first], storeIdentifiers: []), QueryGeneration([second], storeIdentifiers: [])
            )
            let counts = try [one, two, one].map { try GenerationScope.with($0) { try subject.count("Book") } }
            subject.expect(counts, is: [8, 9, 8], "books")
            subject.expect(try subject.count("Book"), is: 10, "books now")
        },
        ContractCase("A save goes to the present state while an older one is read", needs: .generations) { subject in
            guard let state = try subject.engine.pin() else { return subject.expect(false, "Nothing was pinned.") }
            let generation = QueryGeneration([state], storeIdentifiers: [])
            try GenerationScope.with(generation) {
                try addBook(subject)
                subject.expect(try subject.count("Book"), is: 8, "pinned books")
            }
            subject.expect(try subject.count("Book"), is: 9, "books")
        },
    ]

    // MARK: Beside a writer

    private static let beside: [ContractCase] = [
        ContractCase("A reader sees all of a save or nothing of it") { subject in
            let engine = subject.engine
            let fetch = Unshared(try subject.fetch("Sample"))
            let torn = Unshared(Counter())
            DispatchQueue.concurrentPerform(iterations: 2) { role in
                for _ in 0..<30 {
                    if role == 0 {
                        let builder = SaveBuilder()
                        for number in 0..<10 { builder.insert("Sample", ["int": number]) }
                        _ = try? withExtendedLifetime(builder) { try engine.save(builder.changes) }
                    } else {
                        let found = (try? engine.fetchReferences(fetch.value).count) ?? 1
                        if found % 10 != 0 { torn.value.number += 1 }
                    }
                }
            }
            subject.expect(torn.value.number, is: 0, "reads of half a save")
            subject.expect(try subject.count("Sample"), is: 300, "rows")
        },
        ContractCase("What is being read may be written") { subject in
            var seen: [String] = []
            let collector = RowCollector { seen.append($0.text("title") ?? "") }
            try subject.engine.fetchRows(subject.fetch("Book", "title != nil", sort: ["published"]), into: collector)
            let saga = try subject.present("b3")
            try subject.save { $0.update(saga, ["title": "after"]) }
            subject.expect(seen, is: ["Alpha", "beta", "Gamma", "delta", "Épsilon", "Zeta", "Alpha"], "titles")
        },
    ]

    private final class Counter { var number = 0 }

    /// A value that one thread at a time uses.
    private struct Unshared<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    /// Asks something on a thread of its own.
    private final class Reader: @unchecked Sendable {
        private var found: Int?
        private let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () throws -> Int) {
            Thread { [self] in
                found = try? body()
                done.signal()
            }.start()
        }

        func result() -> Int? {
            done.wait()
            return found
        }
    }
}
