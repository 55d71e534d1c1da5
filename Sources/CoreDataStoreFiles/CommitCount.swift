import Synchronization

/// The number of commits by this process to one file, on any connection.
package final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts a commit. Call it when the commit has succeeded, before it is reported.
    package func add() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
