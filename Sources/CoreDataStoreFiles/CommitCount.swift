#if canImport(Darwin)
import Foundation

/// The number of commits by this process to one file, on any connection.
package final class CommitCount: @unchecked Sendable {
    // The oldest systems that the package supports lack `Synchronization`.
    private let lock = NSLock()
    private var count = 0

    package init() {}

    package var value: Int {
        lock.lock()
        defer { lock.unlock() }
        return count
    }

    /// Counts a commit. Call it when the commit has succeeded, before it is reported.
    package func add() {
        lock.lock()
        defer { lock.unlock() }
        count += 1
    }
}
#else
import Synchronization

/// The number of commits by this process to one file, on any connection.
package final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts a commit. Call it when the commit has succeeded, before it is reported.
    package func add() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
#endif
