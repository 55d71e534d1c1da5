#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The monotonic clock of events.
package enum InstrumentClock {
    /// The nanoseconds since a fixed time before the process began.
    package static var now: UInt64 {
        var time = timespec()
        // Fails only for unknown clocks.
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
