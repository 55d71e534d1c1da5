import CoreDataRowStorage
import Foundation
import PredicateFormat

/// What engines remember of what was written.
enum HistoryCases {
    static let all: [ContractCase] = marks + transactions + places + changes + purging + without

    /// Makes three saves: a tag is inserted, then updated along with b1, then deleted.
    ///
    /// - Returns: The place behind what was written before, the marks of the saves, and the tag.
    static func write(
        _ subject: Subject
    ) throws -> (before: HistoryPlace, marks: [HistoryMark], tag: RowReference) {
        let before = try last(subject)
        var made: RowReference?
        let first = try subject.save { save in
            save.changes.author = "writer"
            save.changes.contextName = "context"
            made = save.insert("Tag", ["word": "history"])
        }
        guard let made else { throw Subject.Absent(name: "tag") }
        let tag = try subject.permanent(first, made, "Tag")
        var marks = [try mark(of: first, subject)]
        let second = try subject.save { save in
            save.changes.author = "other"
            save.update(try subject.present(tag), ["weight": 8])
            save.update(try subject.present("b1"), ["title": "changed", "author": nil])
        }
        marks.append(try mark(of: second, subject))
        let third = try subject.save { $0.delete(try subject.present(tag)) }
        marks.append(try mark(of: third, subject))
        return (before, marks, tag)
    }

    /// Returns the mark of the last save. Where several write, it is known with the save only if no other transaction of the
    /// database is being committed.
    static func mark(of keys: SavedKeys, _ subject: Subject) throws -> HistoryMark {
        if let mark = keys.historyMark { return mark }
        guard subject.kind.abilities.contains(.severalWriters), let mark = try subject.session.lastHistoryMark() else {
            throw Subject.Absent(name: "the mark of a save")
        }
        return mark
    }

    /// Asks for the place behind all that was written so far.
    static func last(_ subject: Subject) throws -> HistoryPlace {
        guard let mark = try subject.session.lastHistoryMark() else { throw Subject.Absent(name: "the last mark") }
        return mark.place
    }

    static func ask(
        _ subject: Subject, _ about: HistoryQuery.Subject, _ content: HistoryQuery.Content,
        after place: HistoryPlace = .start, _ change: (inout HistoryQuery) throws -> Void = { _ in }
    ) throws -> HistoryAnswer {
        var query = HistoryQuery(about, content)
        query.after = .place(place)
        try change(&query)
        return try subject.session.history(query)
    }

    // MARK: Marks

    private static let marks: [ContractCase] = [
        ContractCase("Each save is a transaction of its own, with a place of its own", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            let answer = try ask(subject, .transactions, .transactions, after: before)
            subject.expect(Set(answer.transactions.map(\.number)).count, is: 3, "different numbers")
            subject.expect(Set(marks.map(\.place) + [before, .start]).count, is: 5, "different places")
        },
        ContractCase("The last mark is that of the last save", needs: .history) { subject in
            let last = try write(subject).marks.last
            subject.expect(try subject.session.lastHistoryMark()?.place, is: last?.place, "place")
            subject.expect(try subject.session.lastHistoryMark()?.timestamp, is: last?.timestamp, "time")
        },
        ContractCase("A save that fails is no transaction", needs: .history) { subject in
            let before = try subject.session.lastHistoryMark()?.place
            let b1 = try subject.present("b1")
            _ = subject.conflicts { save in
                save.insert("Tag", ["word": "lost"])
                save.update(b1, ["pages": 1], version: 9)
            }
            subject.expect(try subject.session.lastHistoryMark()?.place, is: before, "place")
        },
        ContractCase("A save of nothing is no transaction", needs: .history) { subject in
            let before = try subject.session.lastHistoryMark()?.place
            try subject.save { _ in }
            subject.expect(try subject.session.lastHistoryMark()?.place, is: before, "place")
        },
        ContractCase("Marks beyond the end, or of another time, are not known", needs: .history) { subject in
            let marks = try write(subject).marks
            let future = try markBeyondTheEnd(of: subject)
            let other = HistoryMark(place: marks[1].place, timestamp: 12)
            let answer = try ask(subject, .transactions, .count) {
                $0.needs = (marks + [future, other]).map { .init($0, includesTransaction: true) }
            }
            subject.expect(answer.unknownMarks.map(\.place), is: [future.place, other.place], "unknown marks")
            subject.expect(answer.count, is: 0, "changes beside unknown marks")
        },
        ContractCase("Marks of this history are known", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .count) {
                $0.needs = marks.map { .init($0, includesTransaction: true) }
            }
            subject.expect(answer.unknownMarks.count + answer.purgedMarks.count, is: 0, "unknown or purged marks")
            subject.expect(answer.count > 0, "There is no answer beside known marks.")
        },
    ]

    /// Makes a mark of another store, in which more was written.
    private static func markBeyondTheEnd(of subject: Subject) throws -> HistoryMark {
        let opened = try subject.kind.makeEngine()
        let session = try opened.engine.session()
        for number in 0..<12 {
            let builder = SaveBuilder()
            builder.insert("Tag", ["word": "other \(number)"])
            _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
        }
        defer { withExtendedLifetime(opened) {} }
        guard let mark = try session.lastHistoryMark() else { throw Subject.Absent(name: "the last mark") }
        return mark
    }

    // MARK: Transactions

    private static let transactions: [ContractCase] = [
        ContractCase("Transactions are in order, with their authors and contexts", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            let answer = try ask(subject, .transactions, .transactions, after: before)
            subject.expect(answer.transactions.map(\.place), is: marks.map(\.place), "places")
            subject.expect(answer.transactions.map(\.author), is: ["writer", "other", nil], "authors")
            subject.expect(answer.transactions.map(\.contextName), is: ["context", nil, nil], "contexts")
            subject.expect(answer.changes.count, is: 0, "changes that were not asked for")
        },
        ContractCase("Transactions have the times of their marks", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            let answer = try ask(subject, .transactions, .transactions, after: before)
            subject.expect(
                answer.transactions.map(\.timestamp.timeIntervalSinceReferenceDate), is: marks.compactMap(\.timestamp),
                "times")
        },
        ContractCase("Only what was written after a transaction", needs: .history) { subject in
            let marks = try write(subject).marks
            for index in marks.indices {
                let answer = try ask(subject, .transactions, .transactions, after: marks[index].place)
                subject.expect(
                    answer.transactions.map(\.place), is: marks.dropFirst(index + 1).map(\.place), "after \(index)")
            }
        },
        ContractCase("Only what was written after a time", needs: .history) { subject in
            let marks = try write(subject).marks
            let date = Date(timeIntervalSinceReferenceDate: marks[1].timestamp ?? 0)
            let answer = try ask(subject, .transactions, .transactions) { $0.after = .date(date) }
            subject.expect(answer.transactions.last?.place, is: marks[2].place, "place of the last")
            subject.expect(answer.transactions.allSatisfy { $0.timestamp > date }, "A transaction is of before")
        },
        ContractCase("From the start there is everything", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .transactions)
            subject.expect(answer.transactions.count, is: 4, "transactions")
            subject.expect(answer.transactions.last?.place, is: marks[2].place, "last")
        },
        ContractCase("A limit and an offset are about transactions", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .everything) { ($0.limit, $0.offset) = (2, 1) }
            subject.expect(answer.transactions.map(\.place), is: marks.prefix(2).map(\.place), "places")
            subject.expect(
                Set(answer.changes.map(\.transaction)), is: Set(answer.transactions.map(\.number)), "changes'")
        },
        ContractCase("Transactions in another order", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            let answer = try ask(subject, .transactions, .transactions, after: before) {
                $0.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
            }
            subject.expect(answer.transactions.map(\.place), is: marks.map(\.place).reversed(), "places")
        },
        ContractCase("A predicate about transactions", needs: .history) { subject in
            let marks = try write(subject).marks
            for (format, expected) in [
                ("author == 'writer'", [marks[0]]), ("contextName == 'context'", [marks[0]]),
                ("author == 'nobody'", []), ("author IN {'writer', 'other'}", [marks[0], marks[1]]),
            ] {
                let answer = try ask(subject, .transactions, .transactions) { $0.predicate = try .parse(format) }
                subject.expect(answer.transactions.map(\.place), is: expected.map(\.place), format)
            }
        },
    ]

    // MARK: Without history

    private static let without: [ContractCase] = [
        ContractCase("An engine without the ability refuses questions", lacks: .history) { subject in
            subject.failure(of: "A question", code: NSPersistentStoreUnsupportedRequestTypeError) {
                _ = try ask(subject, .transactions, .nothing)
            }
            subject.failure(of: "Purging", code: NSPersistentStoreUnsupportedRequestTypeError) {
                _ = try subject.session.purgeHistory(before: .transaction(at: .start))
            }
            subject.expect(try subject.session.lastHistoryMark()?.place, is: nil, "mark")
            let keys = try subject.save { $0.insert("Tag", ["word": "x"]) }
            subject.expect(keys.historyMark?.place, is: nil, "mark of a save")
        },
        ContractCase("An engine that keeps no history says so", needs: .history) { subject in
            let opened = try subject.kind.makeEngine(keepsHistory: false)
            let other = try opened.engine.session()
            subject.failure(of: "A question", code: NSPersistentStoreOperationError) {
                _ = try other.history(HistoryQuery(.transactions, .nothing))
            }
            subject.failure(of: "Purging", code: NSPersistentStoreOperationError) {
                _ = try other.purgeHistory(before: .transaction(at: .start))
            }
            subject.expect(try other.lastHistoryMark()?.place, is: nil, "mark")
            withExtendedLifetime(opened) {}
        },
    ]
}
