import CoreData
import CoreDataRowStorage

/// Recordings with fixed numbers.
package struct RecordingSample {
    package static let start: UInt64 = 5_000_000_000

    package private(set) var records: [EventRecord] = []
    package var findings: [Instruments.Finding] = []
    package var droppedEvents = 0
    package var end: UInt64 = start + 20_000_000

    package init() {}

    /// Adds an operation; times are microseconds.
    @discardableResult
    package mutating func add(
        _ kind: EventKind, at start: Int, for duration: Int, parent: EventRecord? = nil,
        _ change: (EventRecord) -> Void = { _ in }
    ) -> EventRecord {
        let record = EventRecord(
            kind, number: records.count + 1, parentNumber: parent?.number ?? 0, thread: parent?.thread ?? 0,
            start: UInt64(Int64(Self.start) + Int64(start) * 1000))
        record.nanoseconds = Int64(duration) * 1000
        change(record)
        records.append(record)
        return record
    }

    package var recording: Instruments.Recording {
        var totals = Instruments.Recording.Totals()
        for record in records { totals.add(record) }
        return Instruments.Recording(
            events: records.map(Instruments.Event.init), droppedEvents: droppedEvents, totals: totals,
            findings: findings, start: Self.start, end: end)
    }

    /// A fetch of authors, the books of each, a save, and a finding about the books.
    package static func library(authors: Int = 3) -> RecordingSample {
        var sample = RecordingSample()
        let context = ContextLabel(name: "inbox", isMain: false, known: 7)
        sample.add(.fetch, at: 100, for: 2000) { record in
            record.context = context
            record.entity = "Author"
            record.predicate = .text("name != \"</script>\"")
            record.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            (record.objectCount, record.rowCount, record.limit) = (authors, authors, 50)
            (record.waitingNanoseconds, record.sqlNanoseconds) = (250_500, 1_000_000)
            record.count("SELECT t0.Z_PK FROM ZAUTHOR t0 WHERE (t0.ZNAME <> ?1)")
            record.plan = ["SCAN t0"]
            record.store = "/tmp/Library.sqlite"
        }
        var ids: [Int] = []
        for number in 0..<authors {
            let fault = sample.add(.relationshipFault, at: 3000 + number * 1000, for: 500) { record in
                record.context = context
                (record.entity, record.keyPath) = ("Author", "books")
                (record.objectCount, record.rowCount) = (4, 4)
                record.count("SELECT t0.Z_PK FROM ZBOOK t0 WHERE (t0.ZAUTHOR = ?1)")
            }
            ids.append(fault.number)
        }
        let later = 3000 + authors * 1000
        sample.add(.fault, at: later, for: 0) { record in
            record.context = context
            record.entity = "Book"
            record.source = .memory
            record.objectCount = 12
        }
        let save = sample.add(.save, at: later + 500, for: 3000) { record in
            record.context = context
            record.changes = .init(inserted: 2, updated: 1)
            record.objectCount = 3
            record.commitNanoseconds = 1_500_000
            record.count("BEGIN IMMEDIATE")
            record.count("INSERT INTO ZBOOK VALUES(?1)")
            record.count("INSERT INTO ZBOOK VALUES(?1)")
        }
        sample.add(.fetch, at: later + 600, for: 400, parent: save) { record in
            record.entity = "Tag"
            record.predicate = .text("word == \"new\"")
            record.failure = "database is locked"
        }
        sample.end = start + UInt64(later + 4000) * 1000
        sample.findings = [
            Instruments.Finding(
                kind: .repeatedRelationshipFault, entity: "Author", keyPath: "books",
                place: Instruments.Place(file: "/src/Inbox.swift", line: 42, function: "show()"),
                callers: [], message: "\(authors) queries for Author.books, one for each object.",
                remedy: "Set relationshipKeyPathsForPrefetching = [\"books\"] on the fetch.",
                repetitions: authors, queries: authors, duration: .microseconds(500 * authors), eventIDs: ids)
        ]
        return sample
    }

    /// The work of three contexts: fetches with the faults of their objects, and saves now and then.
    package static func busy(events: Int) -> RecordingSample {
        var sample = RecordingSample()
        var random = SeededGenerator(seed: 1)
        let contexts = ["main context", "import", "search"].enumerated().map { number, name in
            ContextLabel(name: name, isMain: false, known: number + 1)
        }
        var times = [0, 300, 900], faults: [Int] = []
        while sample.records.count < events {
            let number = Int.random(in: 0..<3, using: &random), context = contexts[number]
            let isSaving = Int.random(in: 0..<12, using: &random) == 0
            let span = Int.random(in: 40...(isSaving ? 4000 : 1500), using: &random)
            let value = sample.records.count
            let outer = sample.add(isSaving ? .save : .fetch, at: times[number], for: span) { record in
                record.context = context
                record.entity = isSaving ? nil : ["Author", "Book", "Tag"].randomElement(using: &random)
                record.predicate = isSaving ? nil : .text("number == \(value)")
                record.objectCount = Int.random(in: 1...200, using: &random)
                record.rowCount = isSaving ? 0 : record.objectCount
                record.changes.updated = isSaving ? record.objectCount : 0
                record.count(
                    isSaving ? "COMMIT" : "SELECT t0.Z_PK FROM Z\(record.entity ?? "") t0 WHERE (t0.ZNUMBER = ?1)")
            }
            if !isSaving, span > 600 {
                sample.add(.prefetch, at: times[number] + span / 2, for: span / 3, parent: outer) { record in
                    record.context = context
                    (record.entity, record.keyPath) = ("Author", "books")
                }
            }
            times[number] += span + Int.random(in: 5...400, using: &random)
            for _ in 0..<Int.random(in: 0...8, using: &random) where !isSaving {
                let isHit = Bool.random(using: &random), span = isHit ? 2 : Int.random(in: 20...120, using: &random)
                let fault = sample.add(isHit ? .fault : .relationshipFault, at: times[number], for: span) { record in
                    record.context = context
                    record.source = isHit ? .memory : .store
                    (record.entity, record.keyPath) = ("Author", isHit ? nil : "books")
                    record.objectCount = 3
                    record.rowCount = isHit ? 0 : 3
                }
                if !isHit, faults.count < 12, number == 0 { faults.append(fault.number) }
                times[number] += span + Int.random(in: 5...60, using: &random)
            }
        }
        sample.records.sort { $0.start < $1.start }
        sample.end = start + UInt64((times.max() ?? 0) + 5000) * 1000
        sample.findings = library().findings
        sample.findings[0] = sample.findings[0].with(events: faults)
        return sample
    }
}

extension Instruments.Finding {
    /// Returns the finding with other events.
    package func with(events ids: [Int]) -> Instruments.Finding {
        Instruments.Finding(
            kind: kind, entity: entity, keyPath: keyPath, place: place, callers: callers, message: message,
            remedy: remedy,
            repetitions: ids.count, queries: ids.count, duration: duration, eventIDs: ids)
    }
}
