import CoreDataRowStorage
import Foundation
import PredicateFormat

/// What engines remember of what was written.
enum HistoryCases {
    static let all: [ContractCase] = marks + transactions + changes + purging + without

    /// Three saves: a tag is inserted, then updated along with b1, then deleted.
    static func write(_ subject: Subject) throws -> (marks: [HistoryMark], tag: RowReference) {
        var made: RowReference?
        let first = try subject.save { save in
            save.changes.author = "writer"
            save.changes.contextName = "context"
            made = save.insert("Tag", ["word": "history"])
        }
        guard let made else { throw Subject.Absent(name: "tag") }
        let tag = try subject.permanent(first, made, "Tag")
        let second = try subject.save { save in
            save.changes.author = "other"
            save.update(try subject.present(tag), ["weight": 8])
            save.update(try subject.present("b1"), ["title": "changed", "author": nil])
        }
        let third = try subject.save { $0.delete(try subject.present(tag)) }
        let marks = [first, second, third].compactMap(\.historyMark)
        guard marks.count == 3 else { throw Subject.Absent(name: "the mark of a save") }
        return (marks, tag)
    }

    static func ask(
        _ subject: Subject, _ about: HistoryQuery.Subject, _ content: HistoryQuery.Content,
        after place: HistoryPlace = .start, _ change: (inout HistoryQuery) throws -> Void = { _ in }
    ) throws -> HistoryAnswer {
        var query = HistoryQuery(about, content)
        query.after = place
        try change(&query)
        return try subject.session.history(query)
    }

    // MARK: Marks

    private static let marks: [ContractCase] = [
        ContractCase("Each save is a transaction of its own, and later ones have greater numbers", needs: .history) {
            subject in
            let marks = try write(subject).marks
            for (mark, next) in zip(marks, marks.dropFirst()) {
                subject.expect(mark.number < next.number, "\(next.number) comes after \(mark.number)")
            }
        },
        ContractCase("The last mark is that of the last save", needs: .history) { subject in
            let last = try write(subject).marks.last
            subject.expect(try subject.session.lastHistoryMark()?.number, is: last?.number, "number")
            subject.expect(try subject.session.lastHistoryMark()?.timestamp, is: last?.timestamp, "time")
        },
        ContractCase("A save that fails is no transaction", needs: .history) { subject in
            let before = try subject.session.lastHistoryMark()?.number
            let b1 = try subject.present("b1")
            _ = subject.conflicts { save in
                save.insert("Tag", ["word": "lost"])
                save.update(b1, ["pages": 1], version: 9)
            }
            subject.expect(try subject.session.lastHistoryMark()?.number, is: before, "number")
        },
        ContractCase("A save of nothing is no transaction", needs: .history) { subject in
            let before = try subject.session.lastHistoryMark()?.number
            try subject.save { _ in }
            subject.expect(try subject.session.lastHistoryMark()?.number, is: before, "number")
        },
        ContractCase("Marks beyond the end, or of another time, are not known", needs: .history) { subject in
            let marks = try write(subject).marks
            let future = HistoryMark(number: marks[2].number + 1, timestamp: nil)
            let other = HistoryMark(number: marks[1].number, timestamp: 12)
            let answer = try ask(subject, .transactions, .nothing) { $0.marks = marks + [future, other] }
            subject.expect(answer.unknownMarks.map(\.number), is: [future.number, other.number], "unknown marks")
        },
    ]

    // MARK: Transactions

    private static let transactions: [ContractCase] = [
        ContractCase("Transactions are in order, with their authors and contexts", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .transactions, after: .transaction(marks[0].number - 1))
            subject.expect(answer.transactions.map(\.number), is: marks.map(\.number), "numbers")
            subject.expect(answer.transactions.map(\.author), is: ["writer", "other", nil], "authors")
            subject.expect(answer.transactions.map(\.contextName), is: ["context", nil, nil], "contexts")
            subject.expect(answer.changes.count, is: 0, "changes that were not asked for")
        },
        ContractCase("Transactions have the times of their marks", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .transactions, after: .transaction(marks[0].number - 1))
            subject.expect(
                answer.transactions.map(\.timestamp.timeIntervalSinceReferenceDate), is: marks.compactMap(\.timestamp),
                "times")
        },
        ContractCase("Only what was written after a transaction", needs: .history) { subject in
            let marks = try write(subject).marks
            for index in marks.indices {
                let answer = try ask(subject, .transactions, .transactions, after: .transaction(marks[index].number))
                subject.expect(
                    answer.transactions.map(\.number), is: marks.dropFirst(index + 1).map(\.number), "after \(index)")
            }
        },
        ContractCase("Only what was written after a time", needs: .history) { subject in
            let marks = try write(subject).marks
            let date = Date(timeIntervalSinceReferenceDate: marks[1].timestamp ?? 0)
            let answer = try ask(subject, .transactions, .transactions, after: .date(date))
            subject.expect(answer.transactions.last?.number, is: marks[2].number, "number of the last")
            subject.expect(answer.transactions.allSatisfy { $0.timestamp > date }, "A transaction is of before")
        },
        ContractCase("From the start there is everything", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .transactions)
            subject.expect(answer.transactions.count, is: 4, "transactions")
            subject.expect(answer.firstKept, is: answer.transactions.first?.number ?? -1, "first that is kept")
            subject.expect(answer.transactions.last?.number, is: marks[2].number, "last")
        },
        ContractCase("A limit and an offset are about transactions", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .everything) { ($0.limit, $0.offset) = (2, 1) }
            subject.expect(answer.transactions.map(\.number), is: marks.prefix(2).map(\.number), "numbers")
            subject.expect(Set(answer.changes.map(\.transaction)), is: Set(marks.prefix(2).map(\.number)), "changes'")
        },
        ContractCase("Transactions in another order", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .transactions, .transactions, after: .transaction(marks[0].number - 1)) {
                $0.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
            }
            subject.expect(answer.transactions.map(\.number), is: marks.map(\.number).reversed(), "numbers")
        },
        ContractCase("A predicate about transactions", needs: .history) { subject in
            let marks = try write(subject).marks
            for (format, expected) in [
                ("author == 'writer'", [marks[0]]), ("contextName == 'context'", [marks[0]]),
                ("author == 'nobody'", []), ("author IN {'writer', 'other'}", [marks[0], marks[1]]),
            ] {
                let answer = try ask(subject, .transactions, .transactions) { $0.predicate = try .parse(format) }
                subject.expect(answer.transactions.map(\.number), is: expected.map(\.number), format)
            }
        },
    ]

    // MARK: Purging

    private static let purging: [ContractCase] = [
        ContractCase("What lies before a transaction is deleted", needs: .history) { subject in
            let marks = try write(subject).marks
            let place = HistoryPlace.transaction(marks[1].number)
            let old = try ask(subject, .changes, .count).count
            let gone = try subject.session.purgeHistory(before: place)
            let answer = try ask(subject, .transactions, .everything)
            subject.expect(answer.transactions.map(\.number), is: marks[1...].map(\.number), "numbers")
            subject.expect(answer.firstKept, is: marks[1].number, "first that is kept")
            subject.expect(gone, is: old - answer.changes.count, "changes that went")
        },
        ContractCase("Nothing lies before the start", needs: .history) { subject in
            _ = try write(subject)
            subject.expect(try subject.session.purgeHistory(before: .start), is: 0, "changes that went")
            subject.expect(try ask(subject, .transactions, .transactions).transactions.count, is: 4, "transactions")
        },
        ContractCase("Numbers go on after everything was deleted", needs: .history) { subject in
            let last = try write(subject).marks[2].number
            _ = try subject.session.purgeHistory(before: .transaction(last + 1))
            subject.expect(try ask(subject, .transactions, .transactions).firstKept, is: last + 1, "first that is kept")
            subject.expect(try subject.session.lastHistoryMark()?.number, is: last, "last mark")
            let mark = try subject.save { $0.update(try subject.present("b2"), ["pages": 3]) }.historyMark
            subject.expect((mark?.number ?? 0) > last, "A number came back")
        },
        ContractCase("A mark that was deleted from history is known", needs: .history) { subject in
            let marks = try write(subject).marks
            _ = try subject.session.purgeHistory(before: .transaction(marks[2].number))
            let answer = try ask(subject, .transactions, .nothing) { $0.marks = [marks[0]] }
            subject.expect(answer.unknownMarks.count, is: 0, "unknown marks")
        },
    ]

    // MARK: Without history

    private static let without: [ContractCase] = [
        ContractCase("An engine without the ability refuses questions", lacks: .history) { subject in
            subject.failure(of: "A question", code: NSPersistentStoreUnsupportedRequestTypeError) {
                _ = try ask(subject, .transactions, .nothing)
            }
            subject.failure(of: "Purging", code: NSPersistentStoreUnsupportedRequestTypeError) {
                _ = try subject.session.purgeHistory(before: .start)
            }
            subject.expect(try subject.session.lastHistoryMark()?.number, is: nil, "mark")
            let keys = try subject.save { $0.insert("Tag", ["word": "x"]) }
            subject.expect(keys.historyMark?.number, is: nil, "mark of a save")
        },
        ContractCase("An engine that keeps no history says so", needs: .history) { subject in
            let opened = try subject.kind.makeEngine(keepsHistory: false)
            let other = try opened.engine.session()
            subject.failure(of: "A question", code: NSPersistentStoreOperationError) {
                _ = try other.history(HistoryQuery(.transactions, .nothing))
            }
            subject.failure(of: "Purging", code: NSPersistentStoreOperationError) {
                _ = try other.purgeHistory(before: .start)
            }
            subject.expect(try other.lastHistoryMark()?.number, is: nil, "mark")
            withExtendedLifetime(opened) {}
        },
    ]
}
