#if !canImport(ObjectiveC)
import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// The walk of the article on seeing what Core Data does: what is found before, nothing after, and the figures it gives.
@Suite(.slow) struct InstrumentsWalkTests {
    /// A hundred users with three messages each; every other one is a friend.
    private static func withAddressBook(
        _ body: (NSPersistentContainer, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try #require(NSManagedObjectModel.mergedModel(from: [.module]))
        let container = NSPersistentContainer(name: "AddressBook", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("AddressBook.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        try #require(failure == nil)
        let context = container.newBackgroundContext()
        try await context.perform {
            for number in 0..<100 as Range<Int64> {
                let user = User(context: context)
                user.userID = number
                user.isFriend = number % 2 == 0
                for _ in 0..<3 { Message(context: context).sender = user }
            }
            try context.save()
        }
        try await body(container, folder)
    }

    /// Runs both forms, each in a context of its own.
    private static func compare<Result: Equatable & Sendable>(
        _ container: NSPersistentContainer, slow: @escaping @Sendable (NSManagedObjectContext) throws -> Result,
        mended: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> (slow: Instruments.Recording, mended: Instruments.Recording) {
        func record(
            _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Result
        ) async throws -> (Result, Instruments.Recording) {
            let context = container.newBackgroundContext()
            return try await Instruments.recordResult { try await context.perform { try body(context) } }
        }
        let (first, slow) = try await record(slow)
        let (second, mended) = try await record(mended)
        #expect(first == second)
        #expect(mended.findings.isEmpty)
        return (slow, mended)
    }

    @Test func aRelationshipReadInALoop() async throws {
        try await Self.withAddressBook { container, _ in
            let (slow, mended) = try await Self.compare(
                container, slow: SlowAddressBook.messageCounts, mended: MendedAddressBook.messageCounts)
            #expect(slow.findings.map(\.kind) == [.repeatedRelationshipFault])
            #expect(slow.findings.first?.repetitions == 100)
            #expect(slow.totals.queries == 101 && slow.totals.rows == 400 && slow.totals.cacheMisses == 100)
            #expect(mended.totals.queries == 2 && mended.totals.rows == 400 && mended.totals.cacheMisses == 0)
        }
    }

    @Test func aFetchToCount() async throws {
        try await Self.withAddressBook { container, _ in
            let (slow, mended) = try await Self.compare(
                container, slow: SlowAddressBook.friendCount, mended: MendedAddressBook.friendCount)
            #expect(slow.findings.map(\.kind) == [.fetchToCount])
            #expect(slow.totals.queries == 1 && slow.totals.rows == 50)
            #expect(mended.totals.queries == 1 && mended.totals.rows == 0)
        }
    }

    @Test func aSaveInALoop() async throws {
        try await Self.withAddressBook { container, _ in
            let names = (0..<50).map { "Friend \($0)" }
            let (slow, mended) = try await Self.compare(
                container,
                slow: { context in
                    try SlowAddressBook.add(names, to: context)
                    return names.count
                },
                mended: { context in
                    try MendedAddressBook.add(names, to: context)
                    return names.count
                })
            #expect(slow.findings.map(\.kind) == [.saveInLoop])
            #expect(slow.totals.saves == 50 && slow.totals.changes.inserted == 50)
            #expect(mended.totals.saves == 1 && mended.totals.changes.inserted == 50)
        }
    }

    @Test func theOtherSnippets() async throws {
        try await Self.withAddressBook { container, folder in
            let context = container.newBackgroundContext()
            let recording = try await InstrumentSnippets.record(context)
            try InstrumentSnippets.write(recording, folder: folder)
            let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("inbox.") }
            #expect(written.sorted() == ["inbox.html", "inbox.json", "inbox.trace.json", "inbox.txt"])
            #expect(try await InstrumentSnippets.work(context) == 50)
            #expect(try await InstrumentSnippets.require(container.newBackgroundContext()).count == 100)
        }
    }
}
#endif
