import Foundation

/// A timer on the main queue that fires 50 times per second and records the longest interval between two firings, as a
/// measure of how long the interface was blocked.
@MainActor
final class Heartbeat {
    private var timer: (any DispatchSourceTimer)?
    private var last = ContinuousClock.now
    private(set) var count = 0
    private(set) var longestSilence = Duration.zero

    func start() {
        last = .now
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: .milliseconds(20))
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.beat() }
        }
        timer.resume()
        self.timer = timer
    }

    func stop() {
        beat()
        timer?.cancel()
        timer = nil
    }

    private func beat() {
        let now = ContinuousClock.now
        longestSilence = max(longestSilence, now - last)
        last = now
        count += 1
    }
}
