import Foundation
import MagicalRecord

/// Makes random numbers, slowly, and saves each of them.
///
/// An operation runs on a thread of its own, so it works with a context of its own on the coordinator it was given. Objects
/// never cross from one context to another; what is saved here reaches the list by merging.
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

    /// What went wrong, once the operation has finished.
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
    /// Makes and saves one number, which takes its time: it stands for whatever a program has to wait for.
    static func make(in context: NSManagedObjectContext, after pause: TimeInterval) throws {
        try context.performAndWait {
            let event = Event(context: context)
            event.randomNumber = Int16.random(in: 1...10_000)
            Thread.sleep(forTimeInterval: pause)
            try context.save()
        }
    }
}
