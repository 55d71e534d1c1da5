import CoreData
import Foundation

/// A view's model as applications have it: on the main actor, with work sent to background contexts.
@MainActor final class TrackStore {
    let container: NSPersistentContainer
    private(set) var titles: [String] = []

    init(container: NSPersistentContainer) { self.container = container }

    func add(_ title: String) async throws {
        let context = container.newBackgroundContext()
        try await context.perform {
            let track = NSEntityDescription.insertNewObject(forEntityName: "Track", into: context)
            track.setValue(title, forKey: "title")
            try context.save()
        }
    }

    func clear() async {
        await container.performBackgroundTask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Track")
            for track in (try? context.fetch(request)) ?? [] { context.delete(track) }
            try? context.save()
        }
    }

    func reload() async throws {
        let context = container.viewContext
        let tracks = try await context.perform(schedule: .enqueued) {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Track"))
        }
        titles = tracks.compactMap { $0.value(forKey: "title") as? String }.sorted()
    }

    nonisolated func count() async throws -> Int {
        try await container.performBackgroundTask { context in
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Track"))
        }
    }
}
