import CoreData

extension MagicalRecord.Stack {
    /// As ``importAll(_:from:options:progress:)``, blocking the thread.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - source: where the records come from.
    ///   - options: what the import may do.
    ///   - proceed: asked before each chunk with the report so far; false ends the import.
    @discardableResult
    public func importAllAndWait<Object: NSManagedObject>(
        _ type: Object.Type, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        proceed: (MagicalRecord.ImportReport) -> Bool = { _ in true }
    ) throws -> MagicalRecord.ImportReport {
        try importAndWait(
            { try MagicalRecord.Query<Object>().entity(in: $0) }, from: source, options: options, started: { _ in },
            proceed: proceed)
    }

    func importAndWait(
        _ entity: (NSManagedObjectContext) throws -> NSEntityDescription, from source: MagicalRecord.ImportSource,
        options: MagicalRecord.ImportOptions, started: (_ total: Int?) -> Void,
        proceed: (MagicalRecord.ImportReport) -> Bool
    ) throws -> MagicalRecord.ImportReport {
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
