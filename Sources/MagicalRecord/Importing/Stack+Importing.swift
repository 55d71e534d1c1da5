import CoreData

/// The chunks of an import into a store: one context for work, saved and emptied after each chunk.
///
/// To be used on the context's queue, by one caller at a time.
final class ChunkedImport: @unchecked Sendable {
    let context: NSManagedObjectContext
    private let reader: any RecordReader
    private let options: ImportOptions
    private var session: ImportSession

    init(
        entity: NSEntityDescription, source: ImportSource, options: ImportOptions, in context: NSManagedObjectContext
    ) throws {
        self.context = context
        self.options = options
        reader = try source.makeReader(options)
        session = ImportSession(context: context, entity: entity, options: options)
    }

    /// How many records there are, when that is known.
    var total: Int? { reader.total }

    var report: ImportReport { session.report }

    /// On the queue: imports the next chunk. False at the end of the input.
    func importNext() throws -> Bool {
        try autoreleasepool {
            let records = try reader.next(options.chunkSize)
            guard !records.isEmpty else { return false }
            _ = try session.importRecords(records)
            return true
        }
    }

    /// On the queue: saves the chunk and lets go of its objects. What makes the save fail for being invalid is taken out
    /// and noted in the report.
    func write() throws {
        do {
            _ = try context.push()
        } catch {
            guard try session.dropInvalidObjects() else { throw error }
            _ = try context.push()
        }
        session.forgetObjects()
        context.reset()
    }
}

extension MagicalRecord.Stack {
    /// Imports records into the store, with bounded memory: chunk by chunk, each looked up together, saved, and let go
    /// of.
    ///
    /// A record that cannot be read, or whose object the model's validation refuses, is noted in the report and leaves
    /// nothing behind. Importing the same input again changes nothing.
    ///
    /// Ends early when the task, or `progress`, is cancelled; the chunks before that stay.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: where the records come from.
    ///   - options: what the import may do.
    ///   - progress: counts records; its total is set when it is known.
    /// - Throws: when the source cannot be read on, or the store cannot be written. Chunks before that stay.
    @discardableResult
    public func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try checkOpen()
        let context = newContext(named: "import")
        let work = try await context.perform {
            try ChunkedImport(
                entity: try Query<Object>().entity(in: context), source: source, options: options, in: context)
        }
        if let progress { progress.totalUnitCount = work.total.map(Int64.init) ?? -1 }
        while true {
            if Task.isCancelled || progress?.isCancelled == true {
                return await context.perform { work.report.cancelled() }
            }
            guard try await importChunk(work) else { break }
            let done = await context.perform { work.report.total }
            if let progress { progress.completedUnitCount = Int64(done) }
        }
        return await context.perform { work.report }
    }

    /// One chunk, as a save of its own. False at the end of the input.
    private func importChunk(_ work: ChunkedImport) async throws -> Bool {
        try await schedule(in: work.context, isExclusive: true) {
            try work.importNext()
        } writing: { hasRecords in
            if hasRecords { try work.write() }
            return hasRecords
        }
    }

    /// As ``importAll(_:from:options:progress:)``, blocking the thread.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: where the records come from.
    ///   - options: what the import may do.
    ///   - proceed: asked before each chunk with the report so far; false ends the import.
    @discardableResult
    public func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = ImportOptions(),
        proceed: (ImportReport) -> Bool = { _ in true }
    ) throws -> ImportReport {
        try importAndWait(
            { try Query<Object>().entity(in: $0) }, from: source, options: options, started: { _ in },
            proceed: proceed)
    }

    func importAndWait(
        _ entity: (NSManagedObjectContext) throws -> NSEntityDescription, from source: ImportSource,
        options: ImportOptions, started: (_ total: Int?) -> Void, proceed: (ImportReport) -> Bool
    ) throws -> ImportReport {
        try checkOpen()
        let context = newContext(named: "import")
        let work = try context.runAndWait {
            try ChunkedImport(entity: try entity(context), source: source, options: options, in: context)
        }
        started(work.total)
        while true {
            guard proceed(context.runAndWait { work.report }) else {
                return context.runAndWait { work.report.cancelled() }
            }
            guard try importChunkAndWait(work) else { return context.runAndWait { work.report } }
        }
    }

    private func importChunkAndWait(_ work: ChunkedImport) throws -> Bool {
        try scheduleAndWait(in: work.context, isExclusive: true) {
            try work.importNext()
        } writing: { hasRecords in
            if hasRecords { try work.write() }
            return hasRecords
        }
    }
}

extension ImportReport {
    fileprivate func cancelled() -> ImportReport {
        var copy = self
        copy.isCancelled = true
        return copy
    }
}

extension MagicalRecord {
    /// Imports records into the store of the default stack. See ``Stack/importAll(_:from:options:progress:)``.
    @discardableResult
    public static func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await requireStack().importAll(type, from: source, options: options, progress: progress)
    }
}
