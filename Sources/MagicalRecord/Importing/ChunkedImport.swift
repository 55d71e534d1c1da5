import CoreData

/// The chunks of an import into a store: one context for work, saved and emptied after each chunk.
///
/// To be used on the context's queue, by one caller at a time.
final class ChunkedImport: @unchecked Sendable {
    let context: NSManagedObjectContext
    /// How often a chunk is imported again that meets what others have written.
    let retries: Int
    private let reader: any RecordReader
    private let options: MagicalRecord.ImportOptions
    private var session: ImportSession
    /// The records of the chunk, and the session as it was before them, while it may be imported again.
    private var chunk: (records: [ReadRecord], before: ImportSession)?

    /// The report without the chunk that is not saved yet.
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

    /// How many records there are, when that is known.
    var total: Int? { reader.total }

    var report: MagicalRecord.ImportReport { session.report }

    /// On the queue: what was saved, without a chunk that has been given up.
    var reportOfSaved: MagicalRecord.ImportReport { reportBefore ?? session.report }

    /// On the queue: imports the next chunk. False at the end of the input.
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

    /// On the queue: imports the chunk again, which was refused for a conflict.
    func importAgain() throws {
        try autoreleasepool {
            guard let chunk else { return }
            context.reset()
            session = chunk.before
            _ = try session.importRecords(chunk.records)
        }
    }

    /// On the queue: saves the chunk and releases its objects. What makes the save fail for being invalid is taken out
    /// and noted in the report.
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
