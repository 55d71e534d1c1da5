import Foundation

/// Lets two threads wait for each other.
final class Meeting: @unchecked Sendable {
    private let condition = NSCondition()
    private var arrived = 0

    /// Arrives, and tells whether another one has come in time. Returns at once after both have come.
    @discardableResult
    func meet(within seconds: Double) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        arrived += 1
        condition.broadcast()
        let end = Date(timeIntervalSinceNow: seconds)
        while arrived < 2 { if !condition.wait(until: end) { return arrived >= 2 } }
        return true
    }
}
