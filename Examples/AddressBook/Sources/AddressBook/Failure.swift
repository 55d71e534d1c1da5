import Foundation
import MagicalRecord

/// An error reported to the user: what failed, the reason, and what to do.
struct Failure: Error {
    var message: String
    var reason: String?
    var advice: String?

    init(_ message: String, reason: String? = nil, advice: String? = nil) {
        self.message = message
        self.reason = reason
        self.advice = advice
    }

    init(_ message: String, because error: any Error, advice: String? = nil) {
        self.init(message, reason: Self.describe(error), advice: advice)
    }

    /// Returns a description of any error in one to three lines.
    static func describe(_ error: any Error) -> String {
        if error is CancellationError { return "Cancelled. What was saved until then stays." }
        guard let failure = error as? Failure else { return text(of: error as NSError) }
        return [failure.message, failure.reason, failure.advice].compactMap { $0 }.joined(separator: "\n")
    }

    private static func text(of error: NSError) -> String {
        var lines = [error.localizedDescription]
        if let reason = error.localizedFailureReason, !lines[0].contains(reason) { lines.append(reason) }
        if let advice = error.localizedRecoverySuggestion { lines.append(advice) }
        return lines.joined(separator: "\n")
    }
}
