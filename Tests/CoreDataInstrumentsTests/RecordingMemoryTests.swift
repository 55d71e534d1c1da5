import CoreDataRowStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Memory is the process's, so each test is a process of its own.
@Suite("Memory of recordings")
struct RecordingMemoryTests {
    /// Fetches with predicates of their own, faults of objects of their own, and a save now and then.
    static func record(_ count: Int, in library: Library) throws -> Instruments.Recording {
        let store = try #require(library.coordinator.persistentStores.first)
        let layout = try #require(library.coordinator.managedObjectModel.layouts.byName["Tag"])
        let recorder = Recorder(limit: Instruments.defaultLimit, plans: false, findings: false)
        for number in 1...count {
            let record = EventRecord(
                number % 10 == 0 ? .save : number % 2 == 0 ? .fetch : .fault, number: number, thread: 1,
                start: UInt64(number) * 1000)
            record.context = library.context.label
            record.entity = "Tag"
            (record.objectCount, record.rowCount, record.nanoseconds, record.sqlNanoseconds) = (1, 1, 900, 500)
            record.count("SELECT t0.Z_PK, t0.ZWORD, t0.Z_OPT FROM ZTAG t0 WHERE (t0.ZWORD = ?1)")
            switch record.kind {
            case .save:
                record.changes.inserted = number
                record.commitNanoseconds = 100
            case .fetch:
                record.predicate = .predicate(NSPredicate(format: "word == %@", "word \(number)"))
                record.sortDescriptors = [NSSortDescriptor(key: "word", ascending: true)]
            default: record.subject = NSManagedObjectID(identity: store.identity(for: layout), key: Int64(number))
            }
            recorder.ended(record)
        }
        return recorder.finish()
    }

    /// A million take 200 MB at most.
    @Test func anEventTakesLittle() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .memory)
            _ = try Self.record(1000, in: library)
            let before = try MemoryUse.resident
            let recording = try Self.record(10_000, in: library)
            let size = (try MemoryUse.resident - before) / recording.events.count
            if size > 200 { fatalError("\(size) bytes an event") }
            let events = recording.events
            precondition(events.count == 10_000 && recording.totals.saves == 1000 && recording.totals.faults == 5000)
            precondition(events[1].predicate == "word == \"word 2\"" && events[1].sortOrder == ["word"])
            precondition(events[0].objectID?.uriRepresentation().lastPathComponent == "p1")
            precondition(events[9].changes.inserted == 10 && events[9].commitDuration == .nanoseconds(100))
        }
    }

    @Test(arguments: Instruments.Recording.Export.allCases.map(\.rawValue))
    func writingTakesLittleMore(_ format: String) async {
        await #expect(processExitsWith: .success) { [format] in
            let format = try #require(Instruments.Recording.Export(rawValue: format))
            let recording = try Self.record(10_000, in: Library(store: .memory))
            try recording.write(format, to: URL(fileURLWithPath: "/dev/null"))
            try MemoryUse.forgetPeak()
            let before = try MemoryUse.resident
            try recording.write(format, to: URL(fileURLWithPath: "/dev/null"))
            let more = try MemoryUse.peak - before
            // The files have 1 to 3 MB, but for the table.
            if more > 1_500_000 { fatalError("\(more) bytes more while 10,000 events are written as \(format)") }
        }
    }
}
