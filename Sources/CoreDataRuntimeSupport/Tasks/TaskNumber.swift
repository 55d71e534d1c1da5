import CCoreDataRuntime

/// The number of a task, unique in the process.
///
/// Swift's own `UnsafeCurrentTask` is identified by an address, which is reused by later tasks.
package enum TaskNumber {
    /// The number of the current task; 0 outside of tasks.
    ///
    /// If the runtime's number is not available, it is the task's hash value: two successive tasks may then have the same
    /// number.
    package static var current: Int {
        withUnsafeCurrentTask { task in
            guard let task else { return 0 }
            guard MemoryAssumption.allowsShortcuts, let pointer = swift_task_getCurrent(), isRight(pointer, task) else {
                return task.hashValue
            }
            return Int(truncatingIfNeeded: swift_task_getJobTaskId(pointer))
        }
    }

    /// Returns true if the runtime's task is the one that Swift returns.
    private static func isRight(_ pointer: UnsafeRawPointer, _ task: UnsafeCurrentTask) -> Bool {
        var hasher = Hasher()
        hasher.combine(pointer)
        return hasher.finalize() == task.hashValue
    }
}
