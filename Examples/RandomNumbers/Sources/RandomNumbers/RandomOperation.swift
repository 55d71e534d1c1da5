import Foundation
import MagicalRecord

/// An operation that creates random numbers with a pause after each, and saves them one by one.
///
/// Operations run on background threads, so this one creates a private-queue context on the given coordinator. Managed objects
/// are never passed between contexts; the list's context merges the saved changes.
final class RandomOperation: Operation, @unchecked Sendable {
    private let coordinator: NSPersistentStoreCoordinator
    private let count: Int
    private let pause: TimeInterval
    private let lock = NSLock()
    private var failure: (any Error)?

    init(coordinator: NSPersistentStoreCoordinator, count: Int, pause: TimeInterval) {
        self.coordinator = coordinator
        self.count = count
        self.pause = pause
    }

    /// The error that ended the operation, or nil. Valid once the operation has finished.
    var error: (any Error)? { lock.withLock { failure } }

    override func main() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        do {
            for _ in 0..<count where !isCancelled {
                try RandomNumber.make(in: context, after: pause)
            }
        } catch {
            lock.withLock { failure = error }
        }
    }
}

enum RandomNumber {
    /// Inserts and saves one number. The pause simulates slow work, such as a network request.
    static func make(in context: NSManagedObjectContext, after pause: TimeInterval) throws {
        try context.performAndWait {
            let event = Event(context: context)
            event.randomNumber = Int16.random(in: 1...10_000)
            Thread.sleep(forTimeInterval: pause)
            try context.save()
        }
    }
}
