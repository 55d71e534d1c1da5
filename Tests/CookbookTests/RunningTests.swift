import Foundation
import MagicalRecord
import MagicalRecordTesting
import Testing

/// The first example, run as it stands, and some of the others.
@Suite struct RunningTests {
    private func withStack(_ body: () async throws -> Void) async throws {
        try await withTestStack(.named("Model", in: .module), shape: .server) { _ in try await body() }
    }

    @Test func theFirstExample() async throws {
        try await withStack {
            try await FirstSteps.save()
            await MagicalRecord.defaultStack?.mergesHaveEnded()
            let names = try await MagicalRecord.read { _ in
                try User.findAll(
                    where: { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) }).map(\.displayName)
            }
            #expect(names == ["Ann"])
        }
    }

    @Test func savingAndDatabases() async throws {
        try await withStack {
            let id = try await SavingSnippets.returning()
            #expect(!id.isTemporaryID)
            try await MagicalRecord.save { context in try User.find(id: id, in: context)?.userID = 7 }
            try await DatabaseSnippets.use()
            #expect(try await People.shared.friends() == ["Ann"])
            try await SavingSnippets.outcomes(stack: try MagicalRecord.requireStack())
            #expect(try await MagicalRecord.read { try User.count(in: $0) } == 1)
        }
    }

    @Test func conditionsAreValid() async throws {
        try await withStack {
            try await MagicalRecord.save { context in
                let team = try Team.create(in: context)
                let teamID = try team.permanentID()
                for condition in FindingSnippets.operators(team: team, teamID: teamID) {
                    _ = try User.count(where: condition, in: context)
                }
                try FindingSnippets.creating(context: context)
                #expect(try User.count(in: context) == 4)
            }
            _ = try await CookbookSnippets.ranking()
        }
    }

    @Test func importingWithHooks() async throws {
        try await withStack {
            let report = try await MagicalRecord.importAll(
                User.self,
                from: .records([
                    ["userID": 1, "email": "ANN@EXAMPLE.ORG"], ["userID": 2, "deleted": true],
                ]))
            #expect(report.inserted == 1)
            #expect(report.skipped == 1)
            let email = try await MagicalRecord.read { try User.findFirst(where: \.userID == 1, in: $0)?.email }
            #expect(email == "ann@example.org")
        }
    }

    @Test func anActorsContext() async throws {
        try await withStack {
            try await MagicalRecord.save { context in try User.create(in: context).userID = 7 }
            let ledger = Ledger(try MagicalRecord.requireStack())
            try await ledger.pay(5, to: 7)
            try await ledger.pay(5, to: 7)
            #expect(try await MagicalRecord.read { try User.findFirst(in: $0)?.balance } == 10)
        }
    }

    @Test func fetchingAndBatchRequests() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try #require(NSManagedObjectModel.mergedModel(from: [.module])?.copy() as? NSManagedObjectModel)
        model.entitiesByName["User"]?.uniquenessConstraints = [["userID"]]
        let container = NSPersistentContainer(name: "Fetching", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Fetching.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        try #require(failure == nil)

        let view = container.newBackgroundContext(), context = container.newBackgroundContext()
        let ben = try context.performAndWait {
            #expect(try FetchingSnippets.upsert(context: context) == 2)
            // The same rows again: they overwrite.
            #expect(try FetchingSnippets.upsert(context: context) == 2)
            #expect(try context.count(for: NSFetchRequest<User>(entityName: "User")) == 2)
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "User")
            request.resultType = .managedObjectIDResultType
            request.predicate = NSPredicate(format: "userID == 2")
            return try #require(try context.fetch(request).first)
        }
        try view.performAndWait {
            let user = try #require(try view.existingObject(with: ben) as? User)
            #expect(!user.isFriend && user.balance == 0)
            let message = Message(context: view)
            message.sender = user
            try view.save()

            #expect(try FetchingSnippets.update(context: view, view: view) == 1)
            #expect(user.isFriend && user.balance == 10)
            #expect(try FetchingSnippets.prefetched(context: view) == 1)
            #expect(try FetchingSnippets.delete(context: view, view: view) == 1)
            #expect(user.messages.isEmpty)

            user.countryCode = 49
            try view.save()
            let countries = try FetchingSnippets.totals(context: view)
            #expect(countries as? [[String: Int]] == [["countryCode": 49, "number": 2]])
        }
        let found = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                do {
                    try FetchingSnippets.inBackground(context: context) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(found == 2)
    }
}
