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
    /// True if required attributes without a value and without a default get the neutral value of their type: 0, false, an empty
    /// text or data, 1 January 2001, a UUID of zeros. True by default, since programs may rely on a value; the report names
    /// the objects. Attributes of uniqueness constraints are left without a value.
    public var fillsRequiredValues = true
    /// Receives the progress on the thread of the rescue, and cancels it by returning false.
    public var progress: StoreProgress.Handler?
    /// True if the files of external values are copied, as for a store in another folder.
    var copiesExternalFiles = true

    /// Creates a rescue of a file. Reads nothing yet.
    public init(_ url: URL) { self.url = url }
}
