import Foundation
import ModelFormat

/// Writes a new store with everything that can be read of a damaged one.
///
/// Never writes to the original.
///
/// ```swift
/// let report = try StoreRescue(damaged).write(to: rescued)
/// ```
public struct StoreRescue: Sendable {
    /// The damaged store's file.
    public let url: URL
    /// The model of the store; nil for the one in the file.
    public var model: Model?
    /// Whether rows that were deleted, but are still on free pages, are restored as well.
    public var restoresDeletedRows = false
    /// Receives the progress.
    public var progress: StoreProgress.Handler?

    /// Creates a rescue.
    public init(_ url: URL) { self.url = url }
}
