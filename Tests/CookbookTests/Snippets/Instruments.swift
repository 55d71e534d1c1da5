#if !canImport(ObjectiveC)
import CoreDataTimeline
import Foundation
import MagicalRecord
import MagicalRecordTesting
import Testing

enum InstrumentSnippets {
    static func log(_ note: @escaping @Sendable (String) -> Void) {
        // snippet
        Instruments.log(.values)
        // end

        // snippet
        Instruments.log(.sql) { line in note(line) }
        // end

        // snippet
        Instruments.log(.off)
        // end
    }

    static func record(_ context: NSManagedObjectContext) async throws -> Instruments.Recording {
        // snippet
        let recording = try await Instruments.record {
            try await context.perform { try SlowAddressBook.messageCounts(in: context) }
        }
        print(recording)
        // end

        // snippet
        print(recording.totals.queries, recording.totals.rows, recording.totals.cacheHits)
        for fetch in recording.fetches {
            print(fetch.entity ?? "?", fetch.predicate ?? "", fetch.duration, fetch.statements.map(\.sql))
        }
        // end
        return recording
    }

    static func process() -> Instruments.Recording {
        // snippet
        Instruments.start()
        // end

        // snippet
        let recording = Instruments.stop()
        // end
        return recording
    }

    static func write(_ recording: Instruments.Recording, folder: URL) throws {
        // snippet
        try recording.writeTimeline(of: "inbox", to: folder.appendingPathComponent("inbox.html"))
        // end

        // snippet
        try recording.write(.traceEvents, to: folder.appendingPathComponent("inbox.trace.json"))
        try recording.write(.json, to: folder.appendingPathComponent("inbox.json"))
        try recording.write(.table, to: folder.appendingPathComponent("inbox.txt"))
        // end
    }

    static func alarm() {
        // snippet
        #if DEBUG
        Instruments.startAlarm()
        #endif
        // end

        // snippet
        var settings = Instruments.AlarmSettings()
        settings.repetitions = 10
        settings.smallestScannedTable = 10_000
        Instruments.startAlarm(.stop, settings: settings)
        // end

        // snippet
        for finding in Instruments.stopAlarm() { print(finding) }
        // end
    }

    static func work(_ context: NSManagedObjectContext) async throws -> Int {
        // snippet
        let count = try await Instruments.work("GET /friends") {
            try await context.perform { try MendedAddressBook.friendCount(in: context) }
        }
        // end
        return count
    }

    static func require(_ context: NSManagedObjectContext) async throws -> [Int64: Int] {
        // snippet
        let counts = try await Instruments.requireNoFindings {
            try await context.perform { try MendedAddressBook.messageCounts(in: context) }
        }
        // end
        return counts
    }
}

// snippet
final class SlowOperations: Instruments.Observer {
    let report: @Sendable (String) -> Void

    init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

    func ended(_ operation: Instruments.Event, in trace: Never?) {
        guard operation.duration > .milliseconds(100) else { return }
        report("\(operation.kind) \(operation.entity ?? "") took \(operation.duration)")
    }
}
// end

extension InstrumentSnippets {
    static func observe(_ observer: SlowOperations) {
        // snippet
        Instruments.add(observer)
        // end
        Instruments.remove(observer)
    }
}

// snippet
@Suite(.addressBook, .noFindings) struct InboxTests {
    @Test func messagesComeWithTheirSenders() async throws {
        try await MagicalRecord.save { context in
            for _ in 0..<20 {
                let user = try User.sample(in: context)
                try Message.sample(in: context) { $0.sender = user }
            }
        }
        let counts = try await expect(queries: 2) {
            try await MagicalRecord.read { context in
                try User.all.prefetching(.relationship(\.messages)).findAll(in: context).map(\.messages.count)
            }
        }
        #expect(counts == Array(repeating: 1, count: 20))
    }
}
// end
#endif
