import CoreData

extension MagicalRecord.Stack {
    /// Imports records into the store with bounded memory: objects are looked up, saved and released chunk by chunk.
    ///
    /// A record that cannot be read, or that makes its object fail the model's validation, is listed in the report and changes
    /// nothing. Importing the same input again changes nothing.
    ///
    /// Ends early if the task or `progress` is cancelled: the report says so, and saved chunks stay. A chunk is saved as a
    /// whole or not at all. Hooks see `Task.isCancelled` (on Apple's platforms from macOS 14 and iOS 17 on).
    ///
    /// With `handling`, the import's context is attached to the coordinator, whatever the stack's shape: it does not see unsaved
    /// changes of other contexts, which merge the import shortly after each save (``mergesHaveEnded()``).
    ///
    /// The number of tries of `handling` applies to each chunk; each try looks objects up and runs hooks again. Without handling,
    /// the stack's merge policy decides. `progress` counts records; its total is set if it is known.
    ///
    /// - Throws: an error of the source or the store; after the last try, the last conflict. Chunks saved before stay.
    @discardableResult
    public func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource, options: MagicalRecord.ImportOptions = .init(),
        onConflict handling: MagicalRecord.ConflictHandling? = nil, progress: Progress? = nil
    ) async throws -> MagicalRecord.ImportReport {
        try checkOpen()
        if Task.isCancelled { return MagicalRecord.ImportReport().cancelled() }
        let context = contextForSaving(named: "import", deciding: handling?.policy)
        let work = try await context.perform {
            try ChunkedImport(type, from: source, options, in: context, retries: handling?.retries)
        }
        progress?.totalUnitCount = work.reader.total.map(Int64.init) ?? -1
        while !Task.isCancelled, progress?.isCancelled != true {
            do {
                guard try await importChunk(work) else { return await context.perform { work.report } }
            } catch is CancellationError where Task.isCancelled {
                break
            }
            progress?.completedUnitCount = await context.perform { Int64(work.report.total) }
        }
        return await context.perform { work.report.cancelled() }
    }

    /// Imports one chunk in one save, again after conflicts; returns false at the end of the input.
    private func importChunk(_ work: ChunkedImport) async throws -> Bool {
        var retries = work.retries
        while true {
            do {
                return try await schedule(in: work.context, work.importNext, writing: work.write)
            } catch  where retries > 0 && SaveConflict(error) != nil {
                retries -= 1
            }
        }
    }

    /// Imports records as ``importAll(_:from:options:onConflict:progress:)``, blocking the thread. A cancelled task makes no further
    /// try after a conflict. `proceed` is called before each chunk with the report so far; returning false ends the import.
    @discardableResult
    public func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource, options: MagicalRecord.ImportOptions = .init(),
        onConflict handling: MagicalRecord.ConflictHandling? = nil,
        proceed: (MagicalRecord.ImportReport) -> Bool = { _ in true }
    ) throws -> MagicalRecord.ImportReport {
        try importAndWait(type, from: source, options, handling) { report, _ in proceed(report) }
    }

    /// Imports records, also passing their number, if it is known, to `proceed`.
    func importAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource, _ options: MagicalRecord.ImportOptions,
        _ handling: MagicalRecord.ConflictHandling?, proceed: (MagicalRecord.ImportReport, _ total: Int?) -> Bool
    ) throws -> MagicalRecord.ImportReport {
        try checkOpen()
        let context = contextForSaving(named: "import", deciding: handling?.policy)
        let work = try context.runAndWait {
            try ChunkedImport(type, from: source, options, in: context, retries: handling?.retries)
        }
        while proceed(context.runAndWait { work.report }, work.reader.total) {
            guard try importChunkAndWait(work) else { return context.runAndWait { work.report } }
        }
        return context.runAndWait { work.report.cancelled() }
    }

    private func importChunkAndWait(_ work: ChunkedImport) throws -> Bool {
        var retries = work.retries
        while true {
            do {
                return try scheduleAndWait(in: work.context, work.importNext, writing: work.write)
            } catch  where retries > 0 && SaveConflict(error) != nil {
                try Task.checkCancellation()
                retries -= 1
            }
        }
    }
}

extension MagicalRecord {
    /// Imports records into the store of the default stack. See ``Stack/importAll(_:from:options:onConflict:progress:)``.
    @discardableResult
    public static func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = .init(),
        onConflict handling: ConflictHandling? = nil, progress: Progress? = nil
    ) async throws -> ImportReport {
        try await requireStack().importAll(
            type, from: source, options: options, onConflict: handling, progress: progress)
    }

    /// Imports records into the store of the default stack, blocking the thread. See
    /// ``Stack/importAllAndWait(_:from:options:onConflict:proceed:)``.
    @discardableResult
    public static func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = .init(),
        onConflict handling: ConflictHandling? = nil, proceed: (ImportReport) -> Bool = { _ in true }
    ) throws -> ImportReport {
        try requireStack().importAllAndWait(
            type, from: source, options: options, onConflict: handling, proceed: proceed)
    }
}

/// Imports records into a store chunk by chunk, saving and resetting its context after each. For the context's queue.
final class ChunkedImport: @unchecked Sendable {
    let context: NSManagedObjectContext
    /// The number of further tries for a chunk that meets a save conflict.
    let retries: Int
    let reader: RecordReader
    private let options: MagicalRecord.ImportOptions
    private var session: ImportSession
    /// The records of the unsaved chunk and the session before them, kept if the chunk may be imported again.
    private var chunk: (records: [ReadRecord], before: ImportSession)?
    /// The report up to the last saved chunk, while a chunk is unsaved.
    private var reportBefore: MagicalRecord.ImportReport?

    init<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource, _ options: MagicalRecord.ImportOptions,
        in context: NSManagedObjectContext, retries: Int?
    ) throws {
        self.context = context
        self.retries = retries ?? 0
        self.options = options
        let entity = try MagicalRecord.Query<Object>().entity(in: context)
        reader = try source.makeReader(options)
        session = ImportSession(context: context, entity: entity, options: options)
    }

    /// The report of the saved chunks, without one that was given up.
    var report: MagicalRecord.ImportReport { reportBefore ?? session.report }

    /// Imports the next chunk, or again the one that met a conflict; returns false at the end of the input.
    func importNext() throws -> Bool {
        try autoreleasepool {
            if let chunk {
                context.reset()
                session = chunk.before
            }
            let records = try chunk?.records ?? reader.next(options.chunkSize)
            guard !records.isEmpty else { return false }
            reportBefore = session.report
            if retries > 0 { chunk = (records, session) }
            _ = try session.importRecords(records)
            return true
        }
    }

    /// Saves the chunk and resets the context, if the chunk has records, as returned. When validation fails, drops the invalid
    /// objects, reports their records as failed and saves the rest.
    func write(_ hasRecords: Bool) throws -> Bool {
        guard hasRecords else { return false }
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
        return true
    }
}
