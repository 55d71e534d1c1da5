import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// Keys: reserved ones, and those that saves give.
enum KeyCases {
    static let all: [ContractCase] = reservations + given

    private static func reserve(_ subject: Subject, _ count: Int, _ entity: String) throws -> [Int64] {
        let keys = try subject.engine.reserveKeys(count: count, of: Bookshop.layout(entity))
        subject.expect(Array(keys).count, is: count, "number of keys")
        subject.expect(keys.count, is: count, "length of all runs")
        return Array(keys)
    }

    private static func expectNew(_ subject: Subject, _ keys: [Int64], _ what: String) {
        subject.expect(keys.allSatisfy { $0 > 0 && $0 <= RowReference.largestKey }, "\(what) are out of range: \(keys)")
        subject.expect(Set(keys).count, is: keys.count, "\(what), each once")
    }

    private static let reservations: [ContractCase] =
        [1, 2, 10, 300].map { count in
            ContractCase("\(count) keys that were reserved are nobody's") { subject in
                let used = try subject.rows(subject.fetch("Book")).map(\.key)
                let keys = try reserve(subject, count, "Book") + reserve(subject, count, "Book")
                expectNew(subject, used + keys, "keys")
            }
        } + [
            ContractCase("A hierarchy has its keys together") { subject in
                let used = try subject.rows(subject.fetch("Book")).map(\.key)
                let keys = try ["Book", "Novel", "Saga", "Novel"].flatMap { try reserve(subject, 3, $0) }
                expectNew(subject, used + keys, "keys")
            },
            ContractCase("A save takes no reserved key") { subject in
                let reserved = try reserve(subject, 5, "Tag")
                let made = try (0..<8).map { try subject.insert("Tag", ["word": "new \($0)"]).key }
                expectNew(subject, reserved + made, "keys")
            },
            ContractCase("No reservation takes a key that a save gave") { subject in
                var keys: [Int64] = []
                for number in 0..<20 {
                    keys.append(try subject.insert("Draft", ["text": "\(number)"]).key)
                    keys += try reserve(subject, 1 + number % 3, "Draft")
                }
                expectNew(subject, keys, "keys")
            },
            ContractCase("A row with a reserved key is saved by it") { subject in
                let key = try reserve(subject, 1, "Tag")[0]
                var reference: RowReference?
                let keys = try subject.save { reference = $0.insert("Tag", ["word": "reserved"], key: key) }
                subject.expect(keys[key], is: nil, "another key for a permanent one")
                guard let reference else { return }
                subject.expect(try subject.row(reference)?.text("word"), is: "reserved", "word")
                subject.expect(try subject.row(reference)?.version, is: 1, "version")
            },
            ContractCase("Rows with reserved keys may be saved in any order") { subject in
                let keys = try reserve(subject, 4, "Tag")
                for key in [keys[2], keys[0], keys[3], keys[1]] {
                    try subject.save { $0.insert("Tag", ["word": "key \(key)"], key: key) }
                }
                let rows = try subject.rows(subject.fetch("Tag", "word BEGINSWITH 'key'"))
                subject.expect(rows.map(\.key).sorted(), is: keys.sorted(), "keys")
            },
            ContractCase("A save that fails gives no reserved key away") { subject in
                let reserved = try reserve(subject, 2, "Tag")
                let red = try subject.present("red")
                subject.failure(of: "A save of an old version") {
                    try subject.save { save in
                        save.insert("Tag", ["word": "lost"])
                        save.update(red, ["weight": 5], version: 7)
                    }
                }
                let made = [try subject.insert("Tag", ["word": "x"]).key] + (try reserve(subject, 3, "Tag"))
                expectNew(subject, reserved + made, "keys")
            },
            ContractCase("Threads that reserve at the same time get different keys") { subject in
                let engine = subject.engine
                let found = Locked<[Int64]>([])
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    for count in 1...5 {
                        guard let keys = try? engine.reserveKeys(count: count, of: Bookshop.layout("Sample")) else {
                            continue
                        }
                        found.withLock { $0 += keys }
                    }
                }
                let keys = found.withLock { $0 }
                subject.expect(keys.count, is: 8 * 15, "number of keys")
                expectNew(subject, keys, "keys")
            },
        ]

    private static let given: [ContractCase] = [
        ContractCase("Every new row gets a key of its own") { subject in
            var temporary: [RowReference] = []
            let keys = try subject.save { save in
                for number in 0..<100 {
                    temporary.append(save.insert(number % 3 == 0 ? "Saga" : "Book", ["pages": number]))
                }
            }
            let given = temporary.compactMap { keys[$0.key] }
            subject.expect(given.count, is: 100, "keys")
            expectNew(subject, given, "keys")
            for (number, key) in given.enumerated() {
                let row = try subject.rows("Book", [RowReference(entityNumber: 2, key: key)]).first
                subject.expect(row?.number("pages"), is: Double(number), "pages of \(number)")
            }
        },
        ContractCase("Keys of new rows are told for each entity of a save") { subject in
            var tag: RowReference?
            var draft: RowReference?
            let keys = try subject.save { save in
                tag = save.insert("Tag", ["word": "both"])
                draft = save.insert("Draft", ["text": "both"])
            }
            guard let tag, let draft else { return }
            subject.expect(
                try subject.present(subject.permanent(keys, tag, "Tag")).text("word"), is: "both", "word")
            subject.expect(
                try subject.present(subject.permanent(keys, draft, "Draft")).text("text"), is: "both", "text")
        },
        ContractCase("The key of a deleted row is given to no other") { subject in
            let first = try subject.insert("Sample", ["int": 1])
            try subject.save { $0.delete(try subject.present(first)) }
            subject.expect(try subject.insert("Sample", ["int": 2]).key != first.key, "The key came back")
        },
        ContractCase("A save without new rows gives no keys") { subject in
            let keys = try subject.save { $0.update(try subject.present("b1"), ["pages": 1]) }
            subject.expect(keys[-1], is: nil, "a key")
        },
    ]
}
