#if PostgreSQL
import Foundation

/// A point in time after which an operation is given up.
package struct Deadline: Sendable, Equatable {
    private let time: UInt64

    package static let none = Deadline(time: .max)

    private init(time: UInt64) { self.time = time }

    /// Creates a deadline after some seconds from now.
    package init(after seconds: Double) {
        time =
            seconds < 1e9 ? DispatchTime.now().uptimeNanoseconds + UInt64(max(seconds, 0) * 1e9) : .max
    }

    /// The milliseconds that remain, at most a day, for `poll`; 0 if the time is over.
    var milliseconds: Int32 {
        guard time != .max else { return 86_400_000 }
        let now = DispatchTime.now().uptimeNanoseconds
        return now >= time ? 0 : Int32(min((time - now + 999_999) / 1_000_000, 86_400_000))
    }

    var isOver: Bool { time != .max && DispatchTime.now().uptimeNanoseconds >= time }

    /// Returns the earlier of two deadlines.
    static func earlier(_ one: Deadline, _ other: Deadline) -> Deadline { one.time < other.time ? one : other }

    func isEarlier(than other: Deadline) -> Bool { time < other.time }

    /// The time for waits of conditions, at most a day away.
    var date: Date { Date(timeIntervalSinceNow: Double(milliseconds) / 1000) }

    /// The time for waits of Dispatch.
    var dispatchTime: DispatchTime { time == .max ? .distantFuture : DispatchTime(uptimeNanoseconds: time) }
}
#endif
