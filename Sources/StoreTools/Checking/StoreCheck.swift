import Foundation
import ModelFormat

/// Examines a store: its files, its tables, and every rule of the format. Changes no byte of it or beside it. May be used on
/// any thread; a call works on the calling thread.
///
/// ```swift
/// let report = try StoreCheck(url).run()
/// for finding in report.findings { print(finding) }
/// ```
public struct StoreCheck: Sendable {
    /// The result of a check.
    public struct Report: Sendable {
        /// The state of the files. Findings are complete for ``StoreCondition/readable`` and ``StoreCondition/inUse`` only.
        public let condition: StoreCondition
        /// The rules that the store violates; none for a healthy store.
        public let findings: [StoreFinding]

        /// True if the store can be read and nothing is wrong with it.
        public var isHealthy: Bool {
            findings.isEmpty && (condition == .readable || condition == .inUse || condition == .empty)
        }
    }

    /// The store's file.
    public let url: URL
    /// The model to check against, of the version that the store was written with; nil for the one in the store.
    public var model: Model?
    /// Receives the progress on the thread of the check, and cancels it by returning false.
    public var progress: StoreProgress.Handler?

    /// Creates a check of a file. Reads nothing yet.
    public init(_ url: URL) { self.url = url }
}
