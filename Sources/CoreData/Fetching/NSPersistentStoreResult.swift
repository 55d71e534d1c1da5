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
    open internal(set) var managedObjectContext: NSManagedObjectContext

    /// Progress of the work; nil where none is reported. Cancelling it cancels the request.
    open internal(set) var progress: Progress?

    /// Why the request failed; nil while it runs and when it succeeded. To be read on the context's queue.
    open internal(set) var operationError: (any Error)?

    init(context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// A result of nothing, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(context: NSManagedObjectContext(.privateQueue), progress: nil)
    }

    /// Asks the request to stop. One that has not begun gives the error `NSUserCancelledError`.
    open func cancel() {
        progress?.cancel()
    }

    /// Stores the outcome and calls the request's completion block. Called once, on the context's queue.
    func finish(with outcome: Result<[Any], any Error>) {}
}
