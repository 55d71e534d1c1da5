import CCoreDataRuntime

/// A number for each task, which no other task of the process has.
///
/// Swift's own `UnsafeCurrentTask` is told apart by an address, which serves one task after the other.
package enum TaskNumber {
    /// The number of the current task; 0 outside of tasks.
    ///
    /// Where the runtime's number cannot be had, it is the task's hash value: two tasks that run one after the other may have
    /// the same.
    package static var current: Int {
        withUnsafeCurrentTask { task in
            guard let task else { return 0 }
            guard MemoryAssumption.allowsShortcuts, let pointer = swift_task_getCurrent(), isRight(pointer, task) else {
                return task.hashValue
            }
            return Int(truncatingIfNeeded: swift_task_getJobTaskId(pointer))
        }
    }

    /// Whether the runtime's task is the one that Swift knows.
    private static func isRight(_ pointer: UnsafeRawPointer, _ task: UnsafeCurrentTask) -> Bool {
        var hasher = Hasher()
        hasher.combine(pointer)
        return hasher.finalize() == task.hashValue
    }
}
