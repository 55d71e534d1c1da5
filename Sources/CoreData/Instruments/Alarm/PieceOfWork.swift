import CoreDataRowStorage

/// Work within which repetitions are a mistake: a block of a context, what the program has named, or else what one context does
/// on one thread or in one task.
///
/// Requests of a server that each have a task, a block or a context of their own are pieces of their own.
struct PieceOfWork: Hashable {
    let work: Int
    let task: Int
    let thread: Int
    let context: Int

    init(_ record: EventRecord) {
        work = record.work
        // A block that was passed to a queue tells more than the thread that happens to run it.
        task = work == 0 ? record.task : 0
        thread = work == 0 && task == 0 ? record.thread : -1
        context = record.context?.number ?? 0
    }

    /// Where blocks and contexts follow each other.
    static func strand(of record: EventRecord) -> Int { record.task == 0 ? record.thread : record.task }
}
