import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

/// Many tasks over few connections to a server: they wait suspended, not on threads.
@Suite("Tasks over stores in servers", .enabled(if: StoreKind.hasServer, StoreKind.needsServer), .serialized)
struct ServerTasksTests {
    /// The blocks that run at the same time, each of which has a thread.
    private final class Blocks: Sendable {
        private let counts = Mutex((running: 0, highest: 0))
        var highest: Int { counts.withLock { $0.highest } }

        func running<Result>(_ body: () throws -> Result) rethrows -> Result {
            counts.withLock {
                $0.running += 1
                $0.highest = max($0.highest, $0.running)
            }
            defer { counts.withLock { $0.running -= 1 } }
            return try body()
        }
    }

    /// The server gives at most four connections to the store. Cancelled tasks run their blocks at once, so that their threads
    /// come on top.
    @Test("2,000 tasks read at once over four connections, on at most 64 threads")
    func manyTasksRead() async throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let container = try ToyStores.container(Versions.first(), at: #require(place.url)) { description in
            description.setOption(4 as NSNumber, forKey: NSPersistentStoreConnectionPoolMaxSizeKey)
        }
        try ToyStores.save("A", to: container)
        let blocks = Blocks()
        let read = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<2_000 {
                let context = container.newBackgroundContext()
                let task = Task {
                    try await context.perform {
                        try blocks.running {
                            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Company"))
                        }
                    }
                }
                if number % 100 == 99 { task.cancel() }
                group.addTask { try await task.value }
            }
            return try await group.reduce(0, +)
        }
        #expect(read == 2_000)
        #expect(blocks.highest <= 64, "\(blocks.highest) threads")
    }

    /// Saves of several contexts run side by side, each in its turn.
    @Test func manyTasksSave() async throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let container = try ToyStores.container(Versions.first(), at: #require(place.url)) { description in
            description.setOption(2 as NSNumber, forKey: NSPersistentStoreConnectionPoolMaxSizeKey)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let context = container.newBackgroundContext()
                    try await context.perform {
                        let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
                        company.setValue("\(number)", forKey: "title")
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        let titles = try ToyStores.titles(container)
        #expect(Set(titles) == Set((0..<100).map { "\($0)" }) && titles.count == 100)
    }
}
