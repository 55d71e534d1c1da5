import CoreData
import Foundation
import Testing

/// Code in Swift 5's mode that awaits blocks from the main actor.
@Suite("Awaiting") struct AwaitingTests {
    @Test @MainActor func backgroundWorkIsAwaitedFromTheMainActor() async throws {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let track = NSEntityDescription()
        track.name = "Track"
        track.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [track]
        let container = NSPersistentContainer(name: "Tracks", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { #expect($1 == nil) }

        let store = TrackStore(container: container)
        try await store.add("So What")
        try await store.add("Blue in Green")
        try await store.reload()
        #expect(store.titles == ["Blue in Green", "So What"])
        #expect(try await store.count() == 2)
        await store.clear()
        #expect(try await store.count() == 0)
    }
}
