import Foundation
import MagicalRecord

/// Brings contacts into the address book in the background, a batch at a time.
///
/// After each batch the context is saved, which makes the main context follow, and reset, which frees the memory of
/// the batch: an import of a million contacts needs no more than one of two hundred. Known users are updated, others
/// created. The operation can be paused, resumed and cancelled between batches; what was saved stays.
final class ImportOperation: Operation, @unchecked Sendable {
    /// How far an import has come.
    struct Count: Sendable {
        var total: Int
        var created = 0
        var updated = 0
        var done: Int { created + updated }
    }

    private let contacts: [Contact]
    private let database: ContactsDatabase
    private let batchSize: Int
    private let delay: TimeInterval
    private let progress: @Sendable (Count) -> Void

    private let condition = NSCondition()
    private var paused = false
    private var outcome: Result<Count, any Error>?

    /// - Parameters:
    ///   - batchSize: how many contacts to save together.
    ///   - delay: seconds to wait after each batch, so that there is time to watch, pause and cancel.
    ///   - progress: called after each batch, on the operation's thread.
    init(
        _ contacts: [Contact], into database: ContactsDatabase, batchSize: Int = 200, delay: TimeInterval = 0,
        progress: @escaping @Sendable (Count) -> Void
    ) {
        self.contacts = contacts
        self.database = database
        self.batchSize = batchSize
        self.delay = delay
        self.progress = progress
    }

    override func main() {
        let result = Result { try importAll() }
        condition.withLock { outcome = result }
    }

    /// Stops after the present batch, or goes on.
    func togglePause() {
        condition.withLock {
            paused.toggle()
            condition.broadcast()
        }
    }

    override func cancel() {
        super.cancel()
        condition.withLock { condition.broadcast() }
    }

    /// Runs the operation on a queue and returns what was imported.
    ///
    /// - Throws: `CancellationError` if it was cancelled, or the error of the batch that could not be saved.
    func run(on queue: OperationQueue) async throws -> Count {
        await withCheckedContinuation { continuation in
            completionBlock = { continuation.resume() }
            queue.addOperation(self)
        }
        guard let outcome = condition.withLock({ outcome }) else { throw CancellationError() }
        return try outcome.get()
    }

    private func importAll() throws -> Count {
        var count = Count(total: contacts.count)
        for start in stride(from: 0, to: contacts.count, by: batchSize) {
            try waitWhilePaused()
            let batch = contacts[start..<min(start + batchSize, contacts.count)]
            count = try database.writeAndWait("imports") { context in
                try store(batch, in: context, count)
            }
            let context = try database.context(named: "imports")
            context.performAndWait { context.reset() }
            progress(count)
            if delay > 0 { Thread.sleep(forTimeInterval: delay) }
        }
        return count
    }

    /// Updates or creates the users of one batch; one look-up finds all that exist.
    private func store(
        _ batch: ArraySlice<Contact>, in context: NSManagedObjectContext, _ count: Count
    ) throws -> Count {
        var count = count
        let known = try User.findAll(where: .in(\.user_id, batch.map(\.userID)), in: context)
        var users = Dictionary(known.map { ($0.user_id, $0) }) { first, _ in first }
        for contact in batch {
            if let user = users[contact.userID] {
                user.update(from: contact)
                count.updated += 1
            } else {
                let user = try User.create(in: context)
                user.user_id = contact.userID
                user.update(from: contact)
                users[contact.userID] = user
                count.created += 1
            }
        }
        return count
    }

    private func waitWhilePaused() throws {
        condition.withLock {
            while paused, !isCancelled { condition.wait() }
        }
        if isCancelled { throw CancellationError() }
    }
}
