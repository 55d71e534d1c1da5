import Foundation

/// What executing a request gives: the base of all results.
open class NSPersistentStoreResult: NSObject {
    /// A result without content.
    public override init() {
        super.init()
    }
}

/// The result of a request that runs in the background.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that executed the request.
    public final let managedObjectContext: NSManagedObjectContext

    /// Progress of the work; nil where none is reported. Cancelling it cancels the request.
    public final let progress: Progress?

    /// Why the request failed; nil while it runs and when it succeeded. To be read on the context's queue.
    public internal(set) final var operationError: (any Error)?

    init(context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// Asks the request to stop. One that has not begun gives the error `NSUserCancelledError`.
    open func cancel() {
        progress?.cancel()
    }

    /// Stores the outcome and calls the request's completion block. Called once, on the context's queue.
    func finish(with outcome: Result<[Any], any Error>) {}
}
