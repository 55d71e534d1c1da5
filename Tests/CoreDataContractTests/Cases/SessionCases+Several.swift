import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// What engines do that have one store open: those of several programs, or of several coordinators.
extension SessionCases {
    static let several: [ContractCase] = [
        ContractCase("An engine shows what another one of its store has saved", isOfSeveral: true) { subject in
            let other = try subject.openAnother()
            for number in 0..<3 {
                try addTag(number % 2 == 0 ? try other.session() : subject.session, "word \(number)")
                for engine in [other, subject.engine] {
                    let count = try engine.session().countRows(subject.fetch("Tag"))
                    subject.expect(count, is: 5 + number, "tags")
                }
            }
        },
        ContractCase("A save over what another engine has changed is a conflict", isOfSeveral: true) { subject in
            let known = try subject.present("b2")
            let other = try subject.openAnother()
            try subject.inSession(try other.session()) {
                _ = try subject.save { $0.update(known, ["title": "theirs"]) }
            }
            let conflicts = subject.conflicts { $0.update(known, ["title": "mine"]) }
            subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
            subject.expect(try subject.present("b2").text("title"), is: "theirs", "title")
        },
        ContractCase("A save over what another engine has deleted is a conflict", isOfSeveral: true) { subject in
            let known = try subject.present("b6")
            let other = try subject.openAnother()
            try subject.inSession(try other.session()) { _ = try subject.save { $0.delete(known) } }
            let conflicts = subject.conflicts { $0.update(known, ["title": "mine"]) }
            subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
            subject.expect(conflicts?.changed.first?.current == nil, "A row that is gone is told")
        },
        ContractCase("Engines of one store never give the same key", isOfSeveral: true) { subject in
            let engines = [subject.engine, try subject.openAnother()]
            var keys: [Int64] = []
            for number in 0..<12 {
                let engine = engines[number % 2]
                try subject.inSession(try engine.session()) {
                    keys.append(try subject.insert("Tag", ["word": "word \(number)"]).key)
                }
                keys += Array(try engine.reserveKeys(count: 1 + number % 3, of: Bookshop.layout("Tag")))
            }
            subject.expect(Set(keys).count, is: keys.count, "keys, each once")
            subject.expect(try subject.count("Tag"), is: 16, "tags")
        },
        ContractCase(
            "A snapshot shows nothing of what another engine saves", needs: .snapshots, isOfSeveral: true
        ) { subject in
            let other = try subject.openAnother()
            guard let snapshot = try subject.engine.snapshot() else { return }
            let count = try snapshot.countRows(subject.fetch("Tag"))
            try addTag(try other.session())
            subject.expect(try snapshot.countRows(subject.fetch("Tag")), is: count, "tags of the snapshot")
            subject.expect(try subject.count("Tag"), is: count + 1, "tags")
        },
        ContractCase(
            "An exclusive session keeps other engines from writing", needs: .exclusiveWrites, isOfSeveral: true
        ) { subject in
            let other = try subject.openAnother()
            let session = try subject.engine.exclusiveSession()
            let done = elsewhere { _ = try? addTag(try other.session(), "other") }
            let waited = waits(done)
            subject.expect(waited, "Another engine has written meanwhile.")
            subject.expect(try session.countRows(subject.fetch("Tag")), is: 4, "tags")
            try addTag(session)
            try session.end()
            subject.expect(!waited || ends(done), "Another engine still waits.")
            subject.expect(try subject.count("Tag"), is: 6, "tags")
        },
        ContractCase("Saves of several engines at the same time lose nothing", isOfSeveral: true) { subject in
            let row = try subject.insert("Sample", ["int": 0])
            let engines = [subject.engine, try subject.openAnother(), try subject.openAnother()]
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                for _ in 0..<5 where !addOne(to: row, engines[number % 3]) { failures.withLock { $0 += 1 } }
            }
            subject.expect(failures.withLock { $0 }, is: 0, "saves that failed by more than conflicts")
            subject.expect(try subject.present(row).number("int"), is: 30, "number")
        },
        ContractCase(
            "History has what several engines have saved, in the order of their saves", needs: .history,
            isOfSeveral: true
        ) { subject in
            let engines = [subject.engine, try subject.openAnother()]
            let before = try subject.session.lastHistoryMark()
            var marks: [HistoryPlace] = []
            for number in 0..<6 {
                try addTag(try engines[number % 2].session(), "word \(number)")
                if let mark = try engines[(number + 1) % 2].session().lastHistoryMark() { marks.append(mark.place) }
            }
            var query = HistoryQuery(.transactions, .transactions)
            if let before { query.after = .place(before.place) }
            let found = try subject.session.history(query).transactions.map(\.place)
            subject.expect(found, is: marks, "places")
            subject.expect(Set(marks).count, is: 6, "places, each once")
        },
    ]

    /// Adds one to a number, again where another save came first. False for an error other than a conflict.
    private static func addOne(to row: RowReference, _ engine: any StoreEngine) -> Bool {
        for _ in 0..<1000 {
            do {
                let session = try engine.session()
                let collector = RowCollector()
                try session.readRows(keys: [row.key], of: Bookshop.layout("Sample"), into: collector)
                guard let found = collector.rows.first, let number = found.number("int") else { return false }
                let builder = SaveBuilder()
                builder.update(found, ["int": Int(number) + 1])
                _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
                return true
            } catch is StoreConflicts {
                continue
            } catch {
                return false
            }
        }
        return false
    }
}
