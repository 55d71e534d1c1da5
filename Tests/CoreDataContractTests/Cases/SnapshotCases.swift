import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// States that stay readable while others write, and what readers beside a writer see.
enum SnapshotCases {
    static let all: [ContractCase] = kept + present + beside

    /// Begins a snapshot, writes, and reads both what that shows and what is now.
    private static func kept(
        _ what: String, write: @escaping @Sendable (Subject) throws -> Void,
        read: @escaping @Sendable (Subject) throws -> [String]
    ) -> ContractCase {
        ContractCase("A snapshot keeps \(what)", needs: .snapshots) { subject in
            let before = try read(subject)
            guard let snapshot = try subject.snapshot() else { return }
            try write(subject)
            let now = try read(subject)
            subject.expect(now != before, "What was written is not seen")
            subject.expect(try subject.inSession(snapshot) { try read(subject) }, is: before, "kept")
            subject.expect(try read(subject), is: now, "present after a read of the snapshot")
            try write(subject)
            snapshot.renew()
            snapshot.rest()
            subject.expect(try subject.inSession(snapshot) { try read(subject) }, is: before, "kept, later")
        }
    }

    private static func addBook(_ subject: Subject) throws {
        try subject.save { $0.insert("Book", ["title": "kept", "pages": 5, "author": subject["cyd"]]) }
    }

    private static func changeBook(_ subject: Subject) throws {
        let row = try subject.present("b1")
        try subject.save { $0.update(row, ["pages": Int(row.version) + 1000]) }
    }

    private static let kept: [ContractCase] = [
        kept("the rows that a fetch finds", write: addBook) { subject in
            subject.named(try subject.rows(subject.fetch("Book", sort: ["published", "title"])).map(\.reference))
        },
        kept("the references that a fetch finds", write: addBook) { subject in
            subject.named(try subject.session.fetchReferences(subject.fetch("Book", "pages < 200", sort: ["pages"])))
        },
        kept("counts", write: addBook) { ["\(try $0.count("Book"))"] },
        kept("dictionaries", write: changeBook) { subject in
            var table = FetchTable()
            table.columns = [FetchColumn(name: "pages", content: .path(["pages"]))]
            return try subject.dictionaries(subject.fetch("Book", sort: ["published"]), table).map {
                "\($0["pages"] ?? "nil")"
            }
        },
        kept("rows that are read by key", write: changeBook) { subject in
            try subject.rows("Book", [subject["b1"], subject["b4"]]).map { "\($0.version) \($0.number("pages") ?? 0)" }
                .sorted()
        },
        kept("rows that are read anew", write: changeBook) { subject in
            let row = try subject.present("b1")
            return ["\(row.version) \(row.number("pages") ?? 0)"]
        },
        kept("members", write: addBook) { try $0.members("books", of: "Author", $0["cyd"]) },
        kept("members of many owners", write: addBook) { subject in
            let owners = ContractedOwners(subject, ["ada", "cyd"])
            return try owners.members("books", of: "Author")
        },
        kept(
            "rows that were deleted",
            write: { subject in
                guard let row = try subject.rows(subject.fetch("Book", sort: ["-published"], limit: 1)).first else {
                    return
                }
                try subject.save { $0.delete(row) }
            },
            read: { subject in
                subject.named(try subject.session.fetchReferences(subject.fetch("Book", sort: ["published"])))
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
                try subject.session.readToManyRows(
                    Bookshop.relationship(relationship, of: entity), of: Bookshop.layout(entity), keys: keys,
                    into: sink, group: { _ in })
            }
            return subject.named(found.announced).sorted()
        }
    }

    private static let present: [ContractCase] = [
        ContractCase("An engine without the ability has no snapshots", lacks: .snapshots) { subject in
            subject.expect(try subject.engine.snapshot() == nil, "A snapshot was begun")
        },
        ContractCase("Two snapshots are read side by side", needs: .snapshots) { subject in
            guard let first = try subject.snapshot() else { return }
            try addBook(subject)
            guard let second = try subject.snapshot() else { return }
            try addBook(subject)
            let counts = try [first, second, first].map { snapshot in
                try subject.inSession(snapshot) { try subject.count("Book") }
            }
            subject.expect(counts, is: [8, 9, 8], "books")
            subject.expect(try subject.count("Book"), is: 10, "books now")
        },
        ContractCase("Several threads read one snapshot", needs: .snapshots) { subject in
            guard let snapshot = try subject.snapshot() else { return }
            try addBook(subject)
            let fetch = Unshared(try subject.fetch("Book"))
            let found = Locked<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<10 {
                    let count = (try? snapshot.countRows(fetch.value)) ?? -1
                    found.withLock { $0.append(count) }
                }
            }
            subject.expect(found.withLock { $0 }, is: Array(repeating: 8, count: 40), "books")
        },
        ContractCase("A snapshot that has ended is an error to read", needs: .snapshots) { subject in
            guard let snapshot = try subject.snapshot() else { return }
            try snapshot.end()
            subject.inSession(snapshot) {
                subject.failure(of: "A count", code: NSPersistentStoreOperationError) { _ = try subject.count("Book") }
                subject.failure(of: "A read by key", code: NSPersistentStoreOperationError) {
                    _ = try subject.rows("Book", [subject["b1"]])
                }
            }
        },
        ContractCase("A snapshot cannot be written to", needs: .snapshots) { subject in
            guard let snapshot = try subject.snapshot() else { return }
            subject.inSession(snapshot) {
                subject.failure(of: "A save", code: NSPersistentStoreOperationError) { try addBook(subject) }
            }
            subject.expect(try subject.count("Book"), is: 8, "books")
        },
        ContractCase("Many snapshots do not keep others from reading", needs: .snapshots) { subject in
            let snapshots = try (0..<20).compactMap { _ in try subject.snapshot() }
            subject.expect(snapshots.count, is: 20, "snapshots")
            let session = try subject.engine.session()
            subject.expect(try subject.inSession(session) { try subject.count("Book") }, is: 8, "books")
        },
    ]

    // MARK: Beside a writer

    private static let beside: [ContractCase] = [
        ContractCase("A reader sees all of a save or nothing of it") { subject in
            let engine = subject.engine
            let fetch = Unshared(try subject.fetch("Sample"))
            let torn = Unshared(Counter())
            DispatchQueue.concurrentPerform(iterations: 2) { role in
                guard let session = try? engine.session() else { return }
                for _ in 0..<30 {
                    if role == 0 {
                        let builder = SaveBuilder()
                        for number in 0..<10 { builder.insert("Sample", ["int": number]) }
                        _ = try? withExtendedLifetime(builder) { try session.save(builder.changes) }
                    } else {
                        let found = (try? session.fetchReferences(fetch.value).count) ?? 1
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
            try subject.session.fetchRows(subject.fetch("Book", "title != nil", sort: ["published"]), into: collector)
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
}

extension Subject {
    /// A new snapshot; its absence is a finding.
    fileprivate func snapshot() throws -> (any StoreSession)? {
        let snapshot = try engine.snapshot()
        expect(snapshot != nil, "No snapshot was begun.")
        return snapshot
    }
}
