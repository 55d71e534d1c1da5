import CoreData
import Foundation
import Testing

/// Blocks that are awaited, in Swift 6's mode, from every kind of function: Apple's methods take blocks and give values that
/// are not `Sendable`.
@Suite("Awaited blocks")
struct AwaitedBlockTests {
    /// A value that is not `Sendable`.
    private final class Tally {
        var count = 0
    }

    private func makeContainer() throws -> NSPersistentContainer {
        let word = NSAttributeDescription()
        word.name = "word"
        word.attributeType = .stringAttributeType
        let tag = NSEntityDescription()
        tag.name = "Tag"
        tag.properties = [word]
        let model = NSManagedObjectModel()
        model.entities = [tag]
        let container = NSPersistentContainer(name: "Tags", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    @MainActor private final class TagList {
        let container: NSPersistentContainer
        let author = "list"
        var tally = Tally()

        init(_ container: NSPersistentContainer) { self.container = container }

        func add(_ word: String) async throws {
            let context = container.newBackgroundContext()
            try await context.perform {
                #expect(!Thread.isMainThread)
                NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(word, forKey: "word")
                try context.save()
            }
            MainActor.assertIsolated()
        }

        func addInTheBackground(_ words: [String]) async throws -> Tally {
            let tally = try await container.performBackgroundTask { context in
                let tally = Tally()
                for word in words {
                    NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                        .setValue(word, forKey: "word")
                    tally.count += 1
                }
                try context.save()
                return tally
            }
            MainActor.assertIsolated()
            await container.performBackgroundTask { context in context.reset() }
            return tally
        }

        func words() async throws -> [String] {
            let context = container.viewContext
            let tags = try await context.perform {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.sortDescriptors = [NSSortDescriptor(key: "word", ascending: true)]
                return try context.fetch(request)
            }
            return tags.compactMap { $0.value(forKey: "word") as? String }
        }

        func capture() async -> String {
            let tally = tally, author = author
            let context = container.newBackgroundContext()
            await context.perform(schedule: .enqueued) {
                context.transactionAuthor = author
                tally.count += 1
            }
            return await context.perform(schedule: .immediate) { "\(context.transactionAuthor ?? "") \(tally.count)" }
        }

        func useCoordinator() async throws -> Int {
            let coordinator = container.persistentStoreCoordinator
            let tally = await coordinator.perform { Tally() }
            tally.count = try await coordinator.perform {
                guard let store = coordinator.persistentStores.first else { throw CocoaError(.fileNoSuchFile) }
                return coordinator.metadata(for: store).isEmpty ? 0 : 1
            }
            MainActor.assertIsolated()
            return tally.count
        }
    }

    private actor Importer {
        let context: NSManagedObjectContext
        private let tally = Tally()

        init(_ context: NSManagedObjectContext) { self.context = context }

        func count() async throws -> Int {
            let tally = try await context.perform { [context] in
                let tally = Tally()
                tally.count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
                return tally
            }
            self.assertIsolated()
            self.tally.count += tally.count
            return self.tally.count
        }
    }

    @Test @MainActor func fromTheMainActor() async throws {
        let list = TagList(try makeContainer())
        try await list.add("b")
        #expect(try await list.addInTheBackground(["a", "c"]).count == 2)
        #expect(try await list.words() == ["a", "b", "c"])
        #expect(await list.capture() == "list 1")
        #expect(try await list.useCoordinator() == 1)
    }

    @Test func fromAnActor() async throws {
        let container = try makeContainer()
        let list = await TagList(container)
        for word in ["a", "b"] { try await list.add(word) }
        let importer = Importer(container.newBackgroundContext())
        #expect(try await importer.count() == 2)
        #expect(try await importer.count() == 4)
    }

    @Test func fromANonisolatedFunction() async throws {
        let container = try makeContainer()
        let context = container.newBackgroundContext()
        let tag = await context.perform { NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context) }
        #expect(await context.perform { tag.isInserted })
        try await context.perform(schedule: .enqueued) { try context.save() }
        #expect(await container.performBackgroundTask { $0.parent == nil })
        #expect(await container.persistentStoreCoordinator.perform { true })
    }

    @Test @MainActor func errorsArriveOnTheCallersActor() async throws {
        let container = try makeContainer()
        let context = container.newBackgroundContext()
        await #expect(throws: CocoaError.self) { @MainActor in
            try await context.perform { throw CocoaError(.fileNoSuchFile) }
        }
        do {
            try await container.performBackgroundTask { _ in throw CocoaError(.fileNoSuchFile) }
        } catch {
            MainActor.assertIsolated()
            #expect(error is CocoaError)
        }
    }
}
