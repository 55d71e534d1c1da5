import Foundation

/// An error of this module: one sentence, and the next step.
public struct StoreToolError: LocalizedError, CustomStringConvertible, Sendable {
    /// The kinds of errors.
    public enum Code: Int, Sendable, CaseIterable {
        /// There is no file.
        case noFile = 1
        /// The file is not a store of Core Data.
        case notAStore
        /// The file cannot be read now: permissions, data protection, a lock.
        case unavailable
        /// The store has no model, and none was given.
        case noModel
        /// The given model is not the store's.
        case otherModel
        /// A query, key or predicate that does not fit the model.
        case invalidQuery
        /// The destination exists, or cannot be written.
        case destination
        /// The store was changed while it was read.
        case changed
        /// The caller cancelled the operation.
        case cancelled
        /// Nothing could be rescued.
        case nothingRescued
        /// Reading or writing failed.
        case failed
    }

    /// The kind of the error.
    public let code: Code
    /// The failure, in one sentence that names the file, entity or key.
    public let message: String
    /// The next step, in one sentence; nil if there is none.
    public let advice: String?
    /// The file that the error is about.
    public let url: URL?
    /// The message of the system or of SQLite that caused it.
    public let underlying: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil, url: URL? = nil, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.url = url
        self.underlying = underlying
    }

    public var errorDescription: String? { message }
    public var recoverySuggestion: String? { advice }
    public var description: String { [message, advice].compactMap { $0 }.joined(separator: " ") }
}

/// The progress of an operation.
public struct StoreProgress: Sendable {
    /// The activity, such as `Reading pages`.
    public let phase: String
    /// The completed part of the phase, from 0 to 1.
    public let fraction: Double

    /// Receives the progress, on the thread of the operation, and returns false to cancel it with
    /// ``StoreToolError/Code/cancelled``.
    public typealias Handler = @Sendable (StoreProgress) -> Bool

    package init(_ phase: String, _ fraction: Double) {
        self.phase = phase
        self.fraction = fraction
    }
}
