#if PostgreSQL
import Foundation

/// The repetition of transactions that have failed for reasons outside of them: serialization failures, deadlocks, and
/// connections that were lost before `COMMIT` was sent.
package struct RetryPolicy: Sendable {
    /// The highest number of attempts.
    package var highestCount = 5
    /// The seconds after which there is no further attempt.
    package var timeLimit = 2.0
    /// The seconds of the first pause; each pause is twice as long as the one before, less a random part.
    package var firstPause = 0.01

    package init() {}

    /// Runs a transaction until it succeeds, or fails for another reason. Blocks the thread in between.
    ///
    /// - Parameter body: Gets the number of the attempt, from 0.
    /// - Throws: The last error of `body`.
    package func retrying<Result>(_ body: (Int) throws -> Result) throws -> Result {
        let limit = Deadline(after: timeLimit)
        var attempt = 0
        while true {
            do {
                return try body(attempt)
            } catch let error as PostgreSQLError where Self.isRetried(error) {
                attempt += 1
                let pause = firstPause * Double(1 << (attempt - 1)) * Double.random(in: 0.5...1)
                guard attempt < highestCount, Deadline(after: pause).isEarlier(than: limit) else { throw error }
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }

    /// Returns true if nothing was committed, and the same transaction may succeed.
    package static func isRetried(_ error: PostgreSQLError) -> Bool {
        guard !error.isOutcomeUnknown else { return false }
        return error.isTransient || error.isLossInUse || error.isWaiting
    }
}
#endif
