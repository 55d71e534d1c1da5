import Foundation

/// The conditions that end a fetch early.
///
/// Engines check them rarely, every few hundred rows or some thousand steps, including while they find and sort rows without
/// delivering any.
package final class FetchInterruption {
    /// The time at which the engine gives up; nil for never.
    package let deadline: ContinuousClock.Instant?
    /// A function that returns true if the answer is no longer needed; nil if that is unknown. Called on the fetch's thread.
    package let isCancelled: (() -> Bool)?
    /// The error that a cancelled fetch throws.
    private let cancellation: any Error

    package init(
        deadline: ContinuousClock.Instant? = nil, isCancelled: (() -> Bool)? = nil,
        cancellation: any Error = CocoaError(.userCancelled)
    ) {
        self.deadline = deadline
        self.isCancelled = isCancelled
        self.cancellation = cancellation
    }

    /// Checks whether the fetch must end.
    ///
    /// - Throws: The cancellation error, by default `NSUserCancelledError`, if the fetch was cancelled, and
    ///   `NSPersistentStoreTimeoutError` after the deadline.
    package func check() throws {
        if let isCancelled, isCancelled() { throw cancellation }
        if let deadline, deadline <= .now { throw StoreErrors.deadlinePassed }
    }
}
