import CoreDataRowStorage
import Foundation

/// What is left when a part of history was deleted.
extension HistoryCases {
    static let purging: [ContractCase] = [
        ContractCase("What lies before a transaction is deleted, and the transaction stays", needs: .history) {
            subject in
            let marks = try write(subject).marks
            let old = try ask(subject, .changes, .count).count
            let gone = try subject.session.purgeHistory(before: .transaction(at: marks[1].place))
            let answer = try ask(subject, .transactions, .everything)
            subject.expect(answer.transactions.map(\.place), is: marks[1...].map(\.place), "places")
            subject.expect(gone, is: old - answer.changes.count, "changes that went")
        },
        ContractCase("What was written before a time is deleted", needs: .history) { subject in
            let marks = try write(subject).marks
            let date = Date(timeIntervalSinceReferenceDate: marks[2].timestamp ?? 0)
            _ = try subject.session.purgeHistory(before: .date(date))
            let answer = try ask(subject, .transactions, .transactions)
            subject.expect(answer.transactions.last?.place, is: marks[2].place, "place of the last")
            subject.expect(answer.transactions.allSatisfy { $0.timestamp >= date }, "A transaction is of before")
        },
        ContractCase("What a registered reader has not read stays", needs: .history) { subject in
            let marks = try write(subject).marks
            let session = subject.session
            try session.changeHistoryReaders(.register("slow", at: marks[0].place))
            try session.changeHistoryReaders(.register("slow", at: marks[2].place))
            try session.changeHistoryReaders(.advance("quick", to: marks[2].place))
            subject.expect(try session.historyReaders().map(\.name), is: ["quick", "slow"], "readers")
            subject.expect(
                try session.historyReaders().map(\.place), is: [marks[2].place, marks[0].place], "where they are")
            _ = try session.purgeHistory(before: .date(.distantFuture))
            let left = try ask(subject, .transactions, .transactions).transactions.map(\.place)
            subject.expect(left, is: marks[1...].map(\.place), "places beside a slow reader")
            // Back is no way to go.
            try session.changeHistoryReaders(.advance("slow", to: marks[1].place))
            try session.changeHistoryReaders(.advance("slow", to: marks[0].place))
            _ = try session.purgeHistory(before: .transaction(at: marks[2].place))
            subject.expect(
                try ask(subject, .transactions, .transactions).transactions.map(\.place), is: [marks[2].place],
                "places once it has read on")
            try session.changeHistoryReaders(.remove("slow"))
            try session.changeHistoryReaders(.remove("none"))
            _ = try session.purgeHistory(before: .date(.distantFuture))
            subject.expect(try ask(subject, .transactions, .transactions).transactions.count, is: 0, "transactions")
            subject.expect(try session.historyReaders().map(\.name), is: ["quick"], "readers at the end")
        },
        ContractCase("Nothing lies before the start", needs: .history) { subject in
            _ = try write(subject)
            subject.expect(
                try subject.session.purgeHistory(before: .transaction(at: .start)), is: 0, "changes that went")
            subject.expect(try ask(subject, .transactions, .transactions).transactions.count, is: 4, "transactions")
        },
        ContractCase("Places go on after everything was deleted", needs: .history) { subject in
            let last = try write(subject).marks[2].place
            _ = try subject.session.purgeHistory(before: .date(.distantFuture))
            subject.expect(try ask(subject, .transactions, .transactions).transactions.count, is: 0, "transactions")
            subject.expect(try HistoryCases.last(subject), is: last, "last place")
            let keys = try subject.save { $0.update(try subject.present("b2"), ["pages": 3]) }
            let mark = try mark(of: keys, subject)
            let answer = try ask(subject, .transactions, .transactions, after: last)
            subject.expect(answer.transactions.map(\.place), is: [mark.place], "places")
        },
        ContractCase("A mark that was deleted from history is known", needs: .history) { subject in
            let marks = try write(subject).marks
            _ = try subject.session.purgeHistory(before: .transaction(at: marks[2].place))
            let answer = try ask(subject, .transactions, .nothing) {
                $0.needs = [.init(marks[0], includesTransaction: false)]
            }
            subject.expect(answer.unknownMarks.count, is: 0, "unknown marks")
        },
        ContractCase("Marks behind which something was deleted are told", needs: .history) { subject in
            let marks = try write(subject).marks
            _ = try subject.session.purgeHistory(before: .transaction(at: marks[2].place))
            for (includesTransaction, purged) in [(false, [marks[0]]), (true, [marks[0], marks[1]])] {
                let answer = try ask(subject, .transactions, .count) {
                    $0.needs = marks.map { .init($0, includesTransaction: includesTransaction) }
                }
                subject.expect(answer.purgedMarks.map(\.place), is: purged.map(\.place), "purged marks")
                subject.expect(answer.count, is: 0, "changes beside purged marks")
            }
            _ = try subject.session.purgeHistory(before: .date(.distantFuture))
            let answer = try ask(subject, .transactions, .count) {
                $0.needs = marks.map { .init($0, includesTransaction: false) }
            }
            subject.expect(answer.purgedMarks.map(\.place), is: marks.prefix(2).map(\.place), "once all was deleted")
        },
    ]
}
