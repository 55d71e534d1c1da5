import CCoreDataRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// Verifies this module's assumptions about Swift's memory layout: each once in a process, on first use.
///
/// If an assumption does not hold, the code that relies on it falls back to an equivalent, slower way.
@usableFromInline
package enum MemoryAssumption {
    /// True if shortcuts with a fallback are used: not in a process started with `COREDATA_PLAIN=1` in its environment, which
    /// shows whether they cause a fault.
    @usableFromInline package static let allowsShortcuts = getenv("COREDATA_PLAIN").map { strcmp($0, "1") != 0 } ?? true

    /// Returns the cached result of `check`, which runs the first time only.
    @inlinable @inline(__always)
    static func holds(_ assumption: CCoreDataRuntimeAssumption, _ check: () -> Bool) -> Bool {
        let answer = ccoredataruntime_answer(assumption)
        return answer == 1 || answer == 0 && ask(assumption, check)
    }

    @usableFromInline @inline(never)
    static func ask(_ assumption: CCoreDataRuntimeAssumption, _ check: () -> Bool) -> Bool {
        let holds = check()
        ccoredataruntime_note_answer(assumption, holds)
        return holds
    }
}
