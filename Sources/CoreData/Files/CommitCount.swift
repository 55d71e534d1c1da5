import Synchronization

/// Counts what this process has committed to one file, by whichever connection.
final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// To be called when a commit has succeeded, before anything is told of it.
    func add() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
