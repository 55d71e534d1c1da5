import Synchronization

/// Counts what this process has committed to one file, by whichever connection.
package final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// To be called when a commit has succeeded, before anything is told of it.
    package func add() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
