#if PostgreSQL
import Foundation
import PostgreSQLTestSupport
import Synchronization

/// Counts how often a program waits for the server, by the server's messages: each pipeline ends in ReadyForQuery, and a
/// `COPY` waits for CopyInResponse before.
final class RoundTripCounter: Sendable {
    private let proxy: ServerProxy
    private let state = Mutex((trips: 0, delay: 0.0))
    let url: URL

    init(to target: URL) throws {
        proxy = try ServerProxy(to: target)
        url = proxy.url(for: target)
        proxy.setRule { [weak self] message in
            guard let self, message.sender == .server, [UInt8(ascii: "Z"), UInt8(ascii: "G")].contains(message.type)
            else { return .pass }
            let delay = state.withLock { state in
                state.trips += 1
                return state.delay
            }
            return delay > 0 ? .delay(delay) : .pass
        }
    }

    deinit { proxy.stop() }

    /// Sets the seconds that each round trip takes longer from now on.
    func setDelay(_ seconds: Double) { state.withLock { $0.delay = seconds } }

    /// Returns the number of round trips that a closure makes, and the seconds it takes.
    func measure(_ body: () throws -> Void) rethrows -> (trips: Int, seconds: Double) {
        let before = state.withLock { $0.trips }
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        return (state.withLock { $0.trips } - before, seconds)
    }
}
#endif
