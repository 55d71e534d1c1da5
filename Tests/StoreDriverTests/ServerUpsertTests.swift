import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing

/// Looking up or creating in a store with several writers, where two of them look up before either creates: what the
/// articles say about uniqueness constraints.
@Suite("Looking up or creating in servers", .enabled(if: StoreKind.hasServer, StoreKind.needsServer))
struct ServerUpsertTests {
    private static func model(isUnique: Bool) -> NSManagedObjectModel {
        let tag = LibraryModel.entity("Tag")
        tag.managedObjectClassName = NSStringFromClass(ServerTag.self)
        tag.properties = [
            LibraryModel.attribute("word", .stringAttributeType),
            LibraryModel.attribute("uses", .integer64AttributeType, optional: false, default: 0),
        ]
        if isUnique { tag.uniquenessConstraints = [["word"]] }
        let model = NSManagedObjectModel()
        model.entities = [tag]
        return model
    }

    /// Two saves at the same time, each of which looks up the same word, creates its object, and counts a use.
    private func upsertTwice(
        isUnique: Bool, _ handling: MagicalRecord.ConflictHandling? = nil
    ) async throws -> (uses: [Int64], failures: [NSError]) {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let url = try #require(place.url)
        let stack = try MagicalRecord.Stack([.at(url)], shape: .server, model: .model(Self.model(isUnique: isUnique)))
        let meeting = Meeting()
        let upsert: @Sendable () async -> NSError? = {
            do {
                try await stack.save(onConflict: handling) { context in
                    try ServerTag.upsert(by: \.word, "red", in: context) { $0.uses += 1 }
                    meeting.meet(within: 300)
                }
                return nil
            } catch {
                return error as NSError
            }
        }
        async let first = upsert()
        async let second = upsert()
        let failures = await [first, second].compactMap { $0 }
        let uses = try await stack.read { try ServerTag.findAll(in: $0).map(\.uses) }
        try await stack.tearDown()
        return (uses, failures)
    }

    @Test(.timeLimit(.minutes(10))) func withoutAConstraintThereAreTwoObjects() async throws {
        let (uses, failures) = try await upsertTwice(isUnique: false)
        #expect(uses == [1, 1])
        #expect(failures.isEmpty)
    }

    @Test(.timeLimit(.minutes(10))) func theConstraintMakesTheSecondSaveFail() async throws {
        let (uses, failures) = try await upsertTwice(isUnique: true)
        #expect(uses == [1])
        #expect(failures.map(\.code) == [NSManagedObjectConstraintMergeError])
    }

    @Test(.timeLimit(.minutes(10))) func aRetryFindsTheObject() async throws {
        let (uses, failures) = try await upsertTwice(isUnique: true, .retry(times: 3))
        #expect(uses == [2])
        #expect(failures.isEmpty)
    }

    @Test(.timeLimit(.minutes(10))) func aMergePolicyKeepsOneObject() async throws {
        let (uses, failures) = try await upsertTwice(isUnique: true, .merge(.mergeByPropertyObjectTrump))
        #expect(uses == [1])
        #expect(failures.isEmpty)
    }
}

private let wordProperty = ManagedProperty("word")
private let usesProperty = ManagedProperty("uses")

final class ServerTag: NSManagedObject {
    var word: String? {
        get { managedValue(wordProperty) }
        set { setManagedValue(newValue, for: wordProperty) }
    }
    var uses: Int64 {
        get { managedValue(usesProperty) }
        set { setManagedValue(newValue, for: usesProperty) }
    }
}
