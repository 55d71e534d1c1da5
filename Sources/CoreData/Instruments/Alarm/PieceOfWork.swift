import CoreDataRowStorage
import CoreDataRuntimeSupport

/// A unit of work within which repetitions are a mistake: named by the program, or otherwise the operations of one context in
/// one task, in one block outside of tasks, or on one thread.
///
/// Requests of a server that have separate tasks or contexts are separate units.
struct PieceOfWork: Hashable {
    let work: Int
    let task: Int
    let block: Int
    let thread: Int
    let context: Int

    /// True if each task has a distinct number. Otherwise each block is a separate unit.
    private static let tellsTasksApart = MemoryAssumption.allowsShortcuts

    /// Determines the unit of work of an operation.
    ///
    /// - Parameter spansBlocks: Whether the blocks that a task passes to the context's queue are one unit, or one each.
    init(_ record: EventRecord, spansBlocks: Bool) {
        let spansBlocks = spansBlocks && Self.tellsTasksApart
        work = record.work
        // The block of a queue is more specific than the thread that happens to run it.
        block = work == 0 && (record.task == 0 || !spansBlocks) ? record.block : 0
        task = work == 0 && block == 0 ? record.task : 0
        thread = work == 0 && block == 0 && task == 0 ? record.thread : -1
        context = record.context?.number ?? 0
    }

    /// Returns the number of the task, or of the thread outside of tasks, in which blocks and contexts follow each other.
    static func strand(of record: EventRecord) -> Int { record.task == 0 ? record.thread : record.task }
}
