import Foundation

/// An error that keeps an exchange from going on, in words.
public struct InteropError: Error, CustomStringConvertible, LocalizedError {
    public let description: String
    public var errorDescription: String? { description }

    /// Creates an error that says this.
    public init(_ description: String) { self.description = description }

    /// Returns what an error says, with its domain, code and reason.
    static func text(of error: any Error) -> String {
        if let error = error as? InteropError { return error.description }
        let plain = error as NSError
        let reason = plain.localizedFailureReason.map { " \($0)" } ?? ""
        return "\(plain.domain) \(plain.code): \(plain.localizedDescription)\(reason)"
    }
}
