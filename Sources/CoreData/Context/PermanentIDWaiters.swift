/// Blocks that wait for temporary IDs of a context's objects to become permanent.
struct PermanentIDWaiters {
    /// Counts up whenever IDs have become permanent.
    var changeCount = 0
    private var blocks: [() -> Void] = []

    var isEmpty: Bool { blocks.isEmpty }

    /// Adds a block, to be called once.
    mutating func add(_ block: @escaping () -> Void) { blocks.append(block) }

    /// Takes out all blocks.
    mutating func take() -> [() -> Void] {
        defer { blocks = [] }
        return blocks
    }
}

extension NSManagedObjectContext {
    /// Calls the blocks that wait for permanent IDs. Call it where the program's code may run, on the context's queue.
    final func tellOfPermanentIDs() {
        guard !permanentIDWaiters.isEmpty else { return }
        for block in permanentIDWaiters.take() { block() }
    }

    /// Calls the blocks that wait for permanent IDs later, for callers in the middle of another context's work.
    final func tellOfPermanentIDsLater() {
        guard !permanentIDWaiters.isEmpty, executor.isUsed, executor.queue != nil else { return }
        perform { [weak self] in self?.tellOfPermanentIDs() }
    }
}
