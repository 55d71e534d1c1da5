import CoreDataRowStorage
import Foundation
import PredicateFormat

/// What history says of each changed row.
extension HistoryCases {
    static let changes: [ContractCase] = [
        ContractCase("Changes say which row, and what was done to it", needs: .history) { subject in
            let (before, marks, tag) = try write(subject)
            let answer = try ask(subject, .transactions, .everything, after: before)
            let numbers = answer.transactions.map(\.number)
            subject.expect(answer.transactions.map(\.place), is: marks.map(\.place), "places")
            guard numbers.count == 3 else { return }
            subject.expect(answer.changes.map(\.transaction), is: [0, 1, 1, 2].map { numbers[$0] }, "transactions")
            subject.expect(answer.changes.first?.row, is: tag, "inserted row")
            subject.expect(answer.changes.first?.kind, is: .insert, "first kind")
            subject.expect(
                Set(answer.changes.dropFirst().prefix(2).map(\.row)), is: [tag, subject["b1"]], "updated rows")
            subject.expect(answer.changes.dropFirst().prefix(2).map(\.kind), is: [.update, .update], "kinds")
            subject.expect(answer.changes.last?.row, is: tag, "deleted row")
            subject.expect(answer.changes.last?.kind, is: .delete, "last kind")
        },
        ContractCase("Changes are in the order of their numbers", needs: .history) { subject in
            _ = try write(subject)
            let numbers = try ask(subject, .changes, .rows).changes.map(\.number)
            subject.expect(numbers, is: numbers.sorted(), "numbers")
            subject.expect(Set(numbers).count, is: numbers.count, "different numbers")
        },
        ContractCase("An update names the properties that changed", needs: .history) { subject in
            let marks = try write(subject).marks
            let answer = try ask(subject, .changes, .everything, after: marks[0].place)
            let updates = answer.changes.filter { $0.kind == .update }
            let properties = Dictionary(updates.map { ($0.row, $0.properties ?? []) }) { first, _ in first }
            subject.expect(properties[subject["b1"]], is: ["title", "author"], "properties")
        },
        ContractCase("An update names the to-many relationships that changed", needs: .history) { subject in
            let b3 = try subject.present("b3")
            let before = try last(subject)
            try subject.save { save in
                save.update(b3, ["volumes": 4])
                save.link(b3.reference, "Saga", "tags", add: [subject["red"]])
            }
            let answer = try ask(subject, .changes, .everything, after: before)
            let update = answer.changes.first { $0.row == b3.reference }
            subject.expect(update?.properties, is: ["volumes", "tags"], "properties")
        },
        ContractCase("A deletion keeps the values that are to be kept", needs: .history) { subject in
            _ = try write(subject)
            let answer = try ask(subject, .changes, .everything)
            let deletion = answer.changes.last
            subject.expect(deletion?.tombstone?["word"] as? String, is: "history", "word")
            subject.expect(deletion?.tombstone?["weight"] == nil, "A value is kept that is not to be")
        },
        ContractCase("Rows whose to-one ended with a deletion are told", needs: .history) { subject in
            let before = try last(subject)
            try subject.save { $0.delete(try subject.present("bob")) }
            let answer = try ask(subject, .changes, .everything, after: before)
            let updated = answer.changes.filter { $0.kind == .update }.map(\.row)
            subject.expect(subject.named(updated).sorted(), is: ["b4", "b5", "b8"], "updated rows")
        },
        ContractCase("Counts, limits and offsets are about changes", needs: .history) { subject in
            let place = try write(subject).before
            subject.expect(try ask(subject, .changes, .count, after: place).count, is: 4, "count")
            subject.expect(try ask(subject, .transactions, .count, after: place).count, is: 4, "count by transaction")
            let all = try ask(subject, .changes, .rows, after: place).changes.map(\.number)
            let some = try ask(subject, .changes, .rows, after: place) { ($0.limit, $0.offset) = (2, 1) }
            subject.expect(some.changes.map(\.number), is: Array(all.dropFirst().prefix(2)), "numbers")
        },
        ContractCase("A predicate about changes", needs: .history) { subject in
            let (place, _, tag) = try write(subject)
            let deletions = try ask(subject, .changes, .rows, after: place) {
                $0.predicate = try .parse("changeType == 2")
            }
            subject.expect(deletions.changes.map(\.row), is: [tag], "deleted rows")
            let own = try ask(subject, .changes, .rows, after: place) {
                $0.predicate = try .parse("transaction.author == 'other'")
            }
            subject.expect(own.changes.count, is: 2, "changes of an author")
        },
        ContractCase("A predicate that names nothing of history is an error", needs: .history) { subject in
            subject.failure(of: "Such a question", code: NSCoreDataError) {
                _ = try ask(subject, .changes, .nothing) { $0.predicate = try .parse("nonsense == 2") }
            }
        },
        ContractCase("A batch is a transaction, too", needs: [.history, .batches]) { subject in
            let before = try last(subject)
            var work = BatchWork(
                .update(
                    try subject.fetch("Saga"), [BatchAssignment(name: "volumes", value: .constant(1))]))
            work.author = "batch"
            _ = try subject.session.run(work)
            let answer = try ask(subject, .transactions, .everything, after: before)
            subject.expect(answer.transactions.map(\.author), is: ["batch"], "authors")
            subject.expect(subject.named(answer.changes.map(\.row)).sorted(), is: ["b3", "b8"], "rows")
        },
    ]
}
