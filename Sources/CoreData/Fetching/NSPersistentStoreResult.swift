import Foundation

/// The base of all results of requests.
open class NSPersistentStoreResult: NSObject {
    /// Creates an empty result.
    public override init() {
        super.init()
    }
}

/// The result of an asynchronous request.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that executed the request.
    open internal(set) var managedObjectContext: NSManagedObjectContext

    /// The progress of the request; nil if none is reported. Canceling it cancels the request.
    open internal(set) var progress: Progress?

    /// The error of the request; nil while it runs and if it succeeded. Must be read on the context's queue.
    open internal(set) var operationError: (any Error)?

    init(context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// Creates an empty result, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(context: NSManagedObjectContext(.privateQueue), progress: nil)
    }

    /// Cancels the request. If it has not begun, its error is `NSUserCancelledError`.
    open func cancel() {
        progress?.cancel()
    }

    /// Stores the outcome and calls the request's completion block. Called once, on the context's queue.
    func finish(with outcome: Result<[Any], any Error>) {}
}
