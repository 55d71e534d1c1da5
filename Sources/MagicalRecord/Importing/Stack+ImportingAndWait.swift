import CoreData

extension MagicalRecord.Stack {
    /// Imports records as ``importAll(_:from:options:onConflict:progress:)``, blocking the thread.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: the source of the records.
    ///   - options: options of the import.
    ///   - handling: how save conflicts are handled. A cancelled task makes no further try.
    ///   - proceed: called before each chunk with the report so far; returning false ends the import.
    @discardableResult
    public func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        onConflict handling: MagicalRecord.ConflictHandling? = nil,
        proceed: (MagicalRecord.ImportReport) -> Bool = { _ in true }
    ) throws -> MagicalRecord.ImportReport {
        try importAndWait(
            { try MagicalRecord.Query<Object>().entity(in: $0) }, from: source, options: options, deciding: handling,
            started: { _ in }, proceed: proceed)
    }

    func importAndWait(
        _ entity: (NSManagedObjectContext) throws -> NSEntityDescription, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions, deciding handling: MagicalRecord.ConflictHandling?,
        started: (_ total: Int?) -> Void, proceed: (MagicalRecord.ImportReport) -> Bool
    ) throws -> MagicalRecord.ImportReport {
        try checkOpen()
        let context = contextForSaving(named: "import", deciding: handling?.policy)
        let work = try context.runAndWait {
            try ChunkedImport(
                entity: try entity(context), source: source, options: options, in: context,
                retries: handling?.retries ?? 0)
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
        do {
            return try importChunkAndWait(work) { try work.importNext() }
        } catch  where work.retries > 0 && SaveConflict(error) != nil {
            for _ in 1..<work.retries {
                try Task.checkCancellation()
                do {
                    return try importChunkAgainAndWait(work)
                } catch  where SaveConflict(error) != nil {}
            }
            try Task.checkCancellation()
            return try importChunkAgainAndWait(work)
        }
    }

    private func importChunkAgainAndWait(_ work: ChunkedImport) throws -> Bool {
        try importChunkAndWait(work) {
            try work.importAgain()
            return true
        }
    }

    private func importChunkAndWait(_ work: ChunkedImport, _ importChunk: () throws -> Bool) throws -> Bool {
        try scheduleAndWait(in: work.context, isExclusive: true, importChunk) { hasRecords in
            if hasRecords { try work.write() }
            return hasRecords
        }
    }
}

extension MagicalRecord {
    /// Imports records into the store of the default stack, blocking the thread. See
    /// ``Stack/importAllAndWait(_:from:options:onConflict:proceed:)``.
    @discardableResult
    public static func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: ImportSource, options: ImportOptions = ImportOptions(),
        onConflict handling: ConflictHandling? = nil, proceed: (ImportReport) -> Bool = { _ in true }
    ) throws -> ImportReport {
        try requireStack().importAllAndWait(
            type, from: source, options: options, onConflict: handling, proceed: proceed)
    }
}
