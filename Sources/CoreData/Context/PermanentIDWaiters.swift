/// The blocks to call when temporary IDs of a context's objects become permanent.
struct PermanentIDWaiters {
    /// The number of times that IDs have become permanent.
    var changeCount = 0
    private var blocks: [() -> Void] = []

    var isEmpty: Bool { blocks.isEmpty }

    /// Adds a block that is called once.
    mutating func add(_ block: @escaping () -> Void) { blocks.append(block) }

    /// Removes all blocks and returns them.
    mutating func take() -> [() -> Void] {
        defer { blocks = [] }
        return blocks
    }
}

extension NSManagedObjectContext {
    /// Calls the waiting blocks. Must be called on the context's queue, where the program's code may run.
    final func tellOfPermanentIDs() {
        guard !permanentIDWaiters.isEmpty else { return }
        for block in permanentIDWaiters.take() { block() }
    }

    /// Calls the waiting blocks asynchronously, for callers in the middle of another context's work.
    final func tellOfPermanentIDsLater() {
        guard !permanentIDWaiters.isEmpty, executor.isUsed, executor.queue != nil else { return }
        perform { [weak self] in self?.tellOfPermanentIDs() }
    }
}
