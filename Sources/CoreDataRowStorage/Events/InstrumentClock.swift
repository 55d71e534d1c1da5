#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The clock of events.
package enum InstrumentClock {
    /// Nanoseconds since some moment before the process began.
    package static var now: UInt64 {
        var time = timespec()
        // Fails only for clocks that do not exist.
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
