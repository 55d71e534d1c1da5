import Foundation

/// What ends a fetch before it is through.
///
/// Engines look at it seldom, every few hundred rows or some thousand steps, and also while they find and sort rows without
/// delivering any.
package final class FetchInterruption {
    /// When the engine gives up; nil for never.
    package let deadline: ContinuousClock.Instant?
    /// Tells whether the answer is no longer wanted; nil where that cannot be known. Called on the thread of the fetch.
    package let isCancelled: (() -> Bool)?
    /// The error of a fetch that was cancelled.
    private let cancellation: any Error

    package init(
        deadline: ContinuousClock.Instant? = nil, isCancelled: (() -> Bool)? = nil,
        cancellation: any Error = CocoaError(.userCancelled)
    ) {
        self.deadline = deadline
        self.isCancelled = isCancelled
        self.cancellation = cancellation
    }

    /// - Throws: The error of cancellation, `NSUserCancelledError` unless it is another, when the fetch was cancelled, and `NSPersistentStoreTimeoutError` after the deadline.
    package func check() throws {
        if let isCancelled, isCancelled() { throw cancellation }
        if let deadline, deadline <= .now { throw StoreErrors.deadlinePassed }
    }
}
