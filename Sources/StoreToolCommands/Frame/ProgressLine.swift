import Foundation
import Synchronization

/// One line of a terminal that shows the progress of what takes longer than a second.
package final class ProgressLine: Sendable {
    private struct State {
        var begin: UInt64?
        var last: UInt64 = 0
        var isShown = false
    }

    private let state = Mutex(State())
    private let put: @Sendable (String) -> Void
    private let now: @Sendable () -> UInt64

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - now: Returns the time in nanoseconds.
    ///   - put: Writes to the terminal.
    package init(now: @escaping @Sendable () -> UInt64, put: @escaping @Sendable (String) -> Void) {
        self.now = now
        self.put = put
        state.withLock { $0.begin = now() }
    }

    package convenience init(_ descriptor: Int32) {
        self.init(now: { DispatchTime.now().uptimeNanoseconds }) { text in
            var text = text
            text.withUTF8 { _ = Foundation.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Shows a phase and its completed part, from 0 to 1; at most ten times a second.
    package func show(_ phase: String, _ fraction: Double) {
        let time = now()
        state.withLock { state in
            guard let begin = state.begin, time &- begin > 1_000_000_000, time &- state.last > 100_000_000
            else { return }
            state.last = time
            state.isShown = true
            let part = fraction.isFinite ? Int(min(max(fraction, 0), 1) * 100) : 0
            put("\r\u{1b}[K\(CellText.escaped(phase)) … \(part) %")
        }
    }

    /// Removes the line.
    package func clear() {
        state.withLock { state in
            if state.isShown { put("\r\u{1b}[K") }
            state.isShown = false
        }
    }
}
