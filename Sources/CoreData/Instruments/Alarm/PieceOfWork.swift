import CoreDataRowStorage
import CoreDataRuntimeSupport

/// Work within which repetitions are a mistake: what the program has named, or else what one context does in one task, in one
/// block outside of tasks, or on one thread.
///
/// Requests of a server that each have a task or a context of their own are pieces of their own.
struct PieceOfWork: Hashable {
    let work: Int
    let task: Int
    let block: Int
    let thread: Int
    let context: Int

    /// True when each task has a number of its own. Otherwise each block is a piece of its own.
    private static let tellsTasksApart = MemoryAssumption.allowsShortcuts

    /// - Parameter spansBlocks: whether the blocks that one task passes to the context's queue are one piece, or one each.
    init(_ record: EventRecord, spansBlocks: Bool) {
        let spansBlocks = spansBlocks && Self.tellsTasksApart
        work = record.work
        // A block that was passed to a queue tells more than the thread that happens to run it.
        block = work == 0 && (record.task == 0 || !spansBlocks) ? record.block : 0
        task = work == 0 && block == 0 ? record.task : 0
        thread = work == 0 && block == 0 && task == 0 ? record.thread : -1
        context = record.context?.number ?? 0
    }

    /// Where blocks and contexts follow each other.
    static func strand(of record: EventRecord) -> Int { record.task == 0 ? record.thread : record.task }
}
