import Foundation

/// Ends the process when one step takes too long, and says which.
final class HostileWatchdog: @unchecked Sendable {
    private let lock = NSLock()
    private var step: (name: String, start: Date)?
    private var isStopped = false

    init(limit: Double) {
        let thread = Thread { [weak self] in
            while let self, !self.isLate(limit) { Thread.sleep(forTimeInterval: 0.5) }
        }
        thread.start()
    }

    private func isLate(_ limit: Double) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if let step, step.start.timeIntervalSinceNow < -limit {
            fatalError("The use of a damaged store takes more than \(limit) seconds: \(step.name)")
        }
        return isStopped
    }

    private func set(_ change: () -> Void) {
        lock.lock()
        change()
        lock.unlock()
    }

    func begin(_ name: String) { set { step = (name, Date()) } }
    func end() { set { step = nil } }
    func stop() { set { isStopped = true } }
}
