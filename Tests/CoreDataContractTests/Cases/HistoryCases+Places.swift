import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// What places in history mean.
extension HistoryCases {
    static let places: [ContractCase] = [
        ContractCase("A place is its bytes", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            for (place, expected) in [(before, marks), (marks[0].place, Array(marks.dropFirst()))] {
                // As they come back from an archive.
                let kept = HistoryPlace(bytes: Data(Array(place.bytes)))
                subject.expect(kept, is: place, "the place again")
                let answer = try ask(subject, .transactions, .transactions, after: kept)
                subject.expect(answer.transactions.map(\.place), is: expected.map(\.place), "places")
            }
        },
        ContractCase("Another session, and another question, finds the same places", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            try subject.inSession(try subject.engine.session()) {
                let answer = try ask(subject, .changes, .everything, after: before)
                subject.expect(answer.transactions.map(\.place), is: marks.map(\.place), "places")
                subject.expect(try last(subject), is: marks[2].place, "last place")
            }
        },
        ContractCase("Nothing lies behind the last place", needs: .history) { subject in
            _ = try write(subject)
            let answer = try ask(subject, .transactions, .everything, after: try last(subject))
            subject.expect(answer.transactions.count + answer.changes.count, is: 0, "transactions and changes")
        },
        ContractCase("A place of another engine's is not known", needs: .history) { subject in
            let foreign = HistoryPlace(bytes: Data("no place".utf8) + [0xFF])
            let answer = try ask(subject, .transactions, .count, after: foreign) {
                $0.needs = [.init(HistoryMark(place: foreign, timestamp: nil), includesTransaction: false)]
            }
            subject.expect(answer.unknownMarks.map(\.place), is: [foreign], "unknown marks")
            subject.failure(of: "A question about it", code: NSCoreDataError) {
                _ = try ask(subject, .transactions, .count, after: foreign)
            }
            subject.failure(of: "Deleting what lies before it", code: NSCoreDataError) {
                _ = try subject.session.purgeHistory(before: .transaction(at: foreign))
            }
        },
        ContractCase("A predicate compares tokens with places", needs: .history) { subject in
            let (before, marks, _) = try write(subject)
            let places = marks.map(\.place)
            for (format, argument, expected) in [
                ("token > %@", places[0], [1, 2]), ("token >= %@", places[1], [1, 2]), ("%@ < token", places[1], [2]),
                ("token < %@", places[1], [0]), ("token <= %@", places[1], [0, 1]), ("token == %@", places[2], [2]),
                ("token != %@", places[1], [0, 2]), ("token IN %@", [places[0], places[2]], [0, 2]),
                ("token BETWEEN %@", [places[0], places[1]], [0, 1]), ("token > %@", HistoryPlace.start, [0, 1, 2]),
            ] as [(String, Any, [Int])] {
                let answer = try ask(subject, .transactions, .transactions, after: before) {
                    $0.predicate = try .parse(format, arguments: [argument])
                }
                subject.expect(answer.transactions.map(\.place), is: expected.map { places[$0] }, format)
            }
        },
        ContractCase("A reader that goes from place to place misses no commit, whoever writes", needs: .history) {
            subject in
            let start = try last(subject)
            let engine = subject.engine
            let running = Locked(4)
            let failures = Locked(0)
            let group = DispatchGroup()
            // Threads of their own: Dispatch's may all be busy with readers.
            for writer in 0..<4 {
                group.enter()
                Thread.detachNewThread {
                    defer {
                        running.withLock { $0 -= 1 }
                        group.leave()
                    }
                    do {
                        let session = try engine.session()
                        for number in 0..<8 {
                            let builder = SaveBuilder()
                            builder.insert("Tag", ["word": "\(writer).\(number)"])
                            _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
                        }
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
            var (place, seen) = (start, [HistoryPlace]())
            var isLastLook = false
            repeat {
                isLastLook = running.withLock { $0 == 0 }
                let found = try ask(subject, .transactions, .transactions, after: place).transactions.map(\.place)
                seen += found
                place = found.last ?? place
                if found.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
            } while !isLastLook
            group.wait()
            subject.expect(failures.withLock { $0 }, is: 0, "failures")
            subject.expect(seen.count, is: 32, "transactions that the reader saw")
            let all = try ask(subject, .transactions, .transactions, after: start).transactions.map(\.place)
            subject.expect(seen, is: all, "places that the reader saw")
        },
    ]
}
