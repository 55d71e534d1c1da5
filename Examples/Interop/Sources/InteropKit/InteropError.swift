import Foundation

/// An error that ends an exchange or one of its stages.
public struct InteropError: Error, CustomStringConvertible, LocalizedError {
    public let description: String
    public var errorDescription: String? { description }

    /// Creates an error with a description.
    public init(_ description: String) { self.description = description }

    /// Returns the description of an error with its domain, code and failure reason.
    static func text(of error: any Error) -> String {
        if let error = error as? InteropError { return error.description }
        let plain = error as NSError
        let reason = plain.localizedFailureReason.map { " \($0)" } ?? ""
        return "\(plain.domain) \(plain.code): \(plain.localizedDescription)\(reason)"
    }
}
