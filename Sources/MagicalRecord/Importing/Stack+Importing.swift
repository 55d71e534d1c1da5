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
    /// With `handling`, the import's context is attached to the coordinator, whatever the stack's shape: unsaved changes of
    /// other contexts are not visible to it, and these contexts merge the import shortly after each save
    /// (``mergesHaveEnded()``).
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: the source of the records.
    ///   - options: options of the import.
    ///   - handling: how save conflicts are handled: the import fails, the chunk is imported again with its objects looked up
    ///     again, or a merge policy decides. The number of tries applies to each chunk, and the hooks of a record run in every
    ///     try. Without it, the stack's merge policy decides.
    ///   - progress: counts records; its total is set if it is known.
    /// - Throws: an error of the source or the store; after the last try, the last conflict. Chunks saved before stay.
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

    /// Imports one chunk in one save; returns false at the end of the input.
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
