import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock for critical sections of a few instructions: half the cost of a mutex without contention. Not reentrant.
@usableFromInline
package struct SpinLock: ~Copyable, @unchecked Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)

    @inlinable
    package init() {}

    @inlinable @inline(__always)
    package func lock() {
        if isTaken.exchange(true, ordering: .acquiring) { wait() }
    }

    @inlinable @inline(__always)
    package func unlock() { isTaken.store(false, ordering: .releasing) }

    /// Waits for the lock. The holder may have been preempted, so the waiting thread soon yields and then sleeps.
    @inline(never) @usableFromInline
    func wait() {
        var tries = 0
        repeat {
            while isTaken.load(ordering: .relaxed) {
                tries += 1
                if tries > 1_000 {
                    usleep(50)
                } else if tries > 50 {
                    sched_yield()
                }
            }
        } while isTaken.exchange(true, ordering: .acquiring)
    }
}
