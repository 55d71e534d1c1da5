#if PostgreSQL
import CoreDataRowStorage

/// The time that a thread waits for the results of a pipeline.
final class Patience {
    private let deadline: Deadline
    private let interruption: FetchInterruption?
    /// Why the server was asked to end; nil if it was not.
    private(set) var reason: (any Error)?
    /// When the connection is given up, after the server was asked to end.
    private var end = Deadline.none

    /// The milliseconds between two checks of an interruption.
    private static let interval: Int32 = 20
    /// The seconds that the server has to end a statement.
    static let timeToEnd = 5.0

    init(until deadline: Deadline, checking interruption: FetchInterruption?) {
        self.deadline = deadline
        self.interruption = interruption
    }

    /// The milliseconds until something has to be checked.
    var milliseconds: Int32 {
        guard reason == nil else { return end.milliseconds }
        return interruption == nil ? deadline.milliseconds : min(deadline.milliseconds, Self.interval)
    }

    var isExhausted: Bool { reason != nil && end.isOver }

    /// Returns true if the server has to be asked to end: the deadline has passed, or the answer is not needed any
    /// more.
    func mustEnd() -> Bool {
        guard reason == nil else { return false }
        do {
            try interruption?.check()
            guard deadline.isOver else { return false }
            reason = PostgreSQLError(state: "57014", message: "the server did not answer in time")
        } catch {
            reason = error
        }
        end = Deadline(after: Self.timeToEnd)
        return true
    }
}
#endif
