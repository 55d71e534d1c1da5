import Foundation
import ModelFormat

/// Writes a new store with everything that can be read of a damaged one: its rows under their entities, with their keys and
/// relationships.
///
/// Reads page by page what SQLite cannot read by tables, and never writes to the original. May be used on any thread; a call
/// works on the calling thread.
///
/// ```swift
/// let report = try StoreRescue(damaged).write(to: rescued)
/// ```
public struct StoreRescue: Sendable {
    /// The damaged store's file.
    public let url: URL
    /// The model of the store, of the version that it was written with; nil for the one in the file.
    public var model: Model?
    /// True if rows that were deleted, but are still on free pages, are restored as well. False by default.
    public var restoresDeletedRows = false
    /// Receives the progress on the thread of the rescue, and cancels it by returning false.
    public var progress: StoreProgress.Handler?

    /// Creates a rescue of a file. Reads nothing yet.
    public init(_ url: URL) { self.url = url }
}
