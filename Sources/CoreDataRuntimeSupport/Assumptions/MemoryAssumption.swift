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

/// Checking what this module assumes about how Swift lays out memory: once in a process, when it is relied on first.
///
/// Where an assumption does not hold, what rests on it takes the plain way, which is as right and slower.
@usableFromInline
package enum MemoryAssumption {
    /// Whether shortcuts that have a plain way beside them are taken at all: not in a process started with `COREDATA_PLAIN=1`
    /// in its environment, by which a fault can be told to be theirs or not.
    @usableFromInline package static let allowsShortcuts = getenv("COREDATA_PLAIN").map { strcmp($0, "1") != 0 } ?? true

    /// The answer of `check`, which is asked the first time only.
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
