import CoreData

/// Imports records into a store chunk by chunk: one context, saved and reset after each chunk.
///
/// Must be used on the context's queue, by one caller at a time.
final class ChunkedImport: @unchecked Sendable {
    let context: NSManagedObjectContext
    /// The number of further tries for a chunk that meets a save conflict.
    let retries: Int
    private let reader: any RecordReader
    private let options: MagicalRecord.ImportOptions
    private var session: ImportSession
    /// The records of the current chunk and the session before them, kept while the chunk may be imported again.
    private var chunk: (records: [ReadRecord], before: ImportSession)?

    /// The report up to the last saved chunk, while a chunk is unsaved.
    private var reportBefore: MagicalRecord.ImportReport?

    init(
        entity: NSEntityDescription, source: MagicalRecord.ImportSource, options: MagicalRecord.ImportOptions,
        in context: NSManagedObjectContext,
        retries: Int = 0
    ) throws {
        self.context = context
        self.retries = retries
        self.options = options
        reader = try source.makeReader(options)
        session = ImportSession(context: context, entity: entity, options: options)
    }

    /// The number of records, if it is known in advance.
    var total: Int? { reader.total }

    var report: MagicalRecord.ImportReport { session.report }

    /// The report of the saved chunks, without one that was given up. For the context's queue.
    var reportOfSaved: MagicalRecord.ImportReport { reportBefore ?? session.report }

    /// Imports the next chunk and returns true, or returns false at the end of the input. For the context's queue.
    func importNext() throws -> Bool {
        try autoreleasepool {
            let records = try reader.next(options.chunkSize)
            guard !records.isEmpty else { return false }
            reportBefore = session.report
            if retries > 0 { chunk = (records, session) }
            _ = try session.importRecords(records)
            return true
        }
    }

    /// Imports the current chunk again, in a context that has been reset, after its save met a conflict. For the context's
    /// queue.
    func importAgain() throws {
        try autoreleasepool {
            guard let chunk else { return }
            context.reset()
            session = chunk.before
            _ = try session.importRecords(chunk.records)
        }
    }

    /// Saves the chunk and resets the context. When validation fails, drops the invalid objects, reports their records as
    /// failed and saves the rest. For the context's queue.
    func write() throws {
        do {
            _ = try context.push()
        } catch  where SaveConflict(error) == nil {
            guard try session.dropInvalidObjects() else { throw error }
            _ = try context.push()
        }
        chunk = nil
        reportBefore = nil
        session.forgetObjects()
        context.reset()
    }
}
