import Synchronization

/// A lock for what takes a few instructions and waits for nothing: half the cost of a mutex where nobody else holds it. Not
/// re-entrant.
struct SpinLock: ~Copyable, @unchecked Sendable {
    private let isTaken = Atomic<Bool>(false)

    @inline(__always)
    func lock() {
        if isTaken.exchange(true, ordering: .acquiring) { wait() }
    }

    @inline(__always)
    func unlock() { isTaken.store(false, ordering: .releasing) }

    /// The holder may have been put to sleep, so this one soon goes to sleep as well.
    @inline(never)
    private func wait() {
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
