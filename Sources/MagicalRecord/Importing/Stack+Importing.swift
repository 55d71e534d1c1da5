import CoreData

extension MagicalRecord.Stack {
    /// Imports records into the store, with bounded memory: chunk by chunk, each looked up together, saved, and let go
    /// of.
    ///
    /// A record that cannot be read, or whose object the model's validation refuses, is noted in the report and leaves
    /// nothing behind. Importing the same input again changes nothing.
    ///
    /// Ends early when the task, or `progress`, is cancelled: the report says so, and the chunks before that stay. A chunk is
    /// saved as a whole or not at all; no further one begins. Hooks see `Task.isCancelled` (on Apple's platforms from macOS 14 and
    /// iOS 17 on).
    ///
    /// With a way to handle conflicts the import's context is on the store, whatever the stack's shape: changes that other
    /// contexts have not saved to the store are not seen, and these contexts follow in a moment (``mergesHaveEnded()``).
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: where the records come from.
    ///   - options: what the import may do.
    ///   - handling: what happens when rows that a chunk is about were written by others: the import fails, imports the chunk
    ///     again, looking its objects up as they are then, or a merge policy decides. The tries are those of each chunk, and the
    ///     hooks of a record run in each. Without it, the stack's merge policy decides.
    ///   - progress: counts records; its total is set when it is known.
    /// - Throws: when the source cannot be read on, or the store cannot be written; after tries that met nothing but conflicts,
    ///   the last conflict. Chunks before that stay.
    @discardableResult
    public func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        onConflict handling: MagicalRecord.ConflictHandling? = nil, progress: Progress? = nil
    ) async throws -> MagicalRecord.ImportReport {
        try checkOpen()
        if Task.isCancelled { return MagicalRecord.ImportReport().cancelled() }
        let context = contextForSaving(named: "import", deciding: handling?.policy)
        let work = try await context.perform {
            try ChunkedImport(
                entity: try MagicalRecord.Query<Object>().entity(in: context), source: source, options: options,
                in: context,
                retries: handling?.retries ?? 0)
        }
        if let progress { progress.totalUnitCount = work.total.map(Int64.init) ?? -1 }
        while true {
            if Task.isCancelled || progress?.isCancelled == true {
                return await context.perform { work.report.cancelled() }
            }
            do {
                guard try await importChunk(work) else { break }
            } catch is CancellationError where Task.isCancelled {
                return await context.perform { work.reportOfSaved.cancelled() }
            }
            let done = await context.perform { work.report.total }
            if let progress { progress.completedUnitCount = Int64(done) }
        }
        return await context.perform { work.report }
    }

    /// Imports one chunk in one save. Returns false at the end of the input.
    private func importChunk(_ work: ChunkedImport) async throws -> Bool {
        do {
            return try await schedule(in: work.context) {
                try work.importNext()
            } writing: { hasRecords in
                if hasRecords { try work.write() }
                return hasRecords
            }
        } catch  where work.retries > 0 && SaveConflict(error) != nil {
            return try await importChunkAgain(work, tries: work.retries)
        }
    }

    private func importChunkAgain(_ work: ChunkedImport, tries: Int) async throws -> Bool {
        try Task.checkCancellation()
        do {
            return try await schedule(in: work.context) {
                try work.importAgain()
            } writing: {
                try work.write()
                return true
            }
        } catch  where tries > 1 && SaveConflict(error) != nil {
            return try await importChunkAgain(work, tries: tries - 1)
        }
    }
}

extension MagicalRecord.ImportReport {
    func cancelled() -> MagicalRecord.ImportReport {
        var copy = self
        copy.isCancelled = true
        return copy
    }
}

extension MagicalRecord {
    /// Imports records into the store of the default stack. See ``Stack/importAll(_:from:options:onConflict:progress:)``.
    @discardableResult
    public static func importAll<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        onConflict handling: ConflictHandling? = nil, progress: Progress? = nil
    ) async throws -> MagicalRecord.ImportReport {
        try await requireStack().importAll(
            type, from: source, options: options, onConflict: handling, progress: progress)
    }
}
