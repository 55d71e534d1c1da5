import CoreData

extension MagicalRecord {
    /// An import as an `Operation`: it supports dependencies, pausing, progress and cancellation.
    ///
    /// ```swift
    /// let operation = MagicalRecord.ImportOperation(User.self, from: .file(url))
    /// queue.addOperation(operation)
    /// ```
    /// Records are imported chunk by chunk on a private context; each chunk is saved and merged into the stack's main context.
    /// Subclasses may override ``didImportChunk(_:)``. All properties may be used from any thread.
    #if canImport(ObjectiveC)
    @objc(MRImportOperation)
    #endif
    open class ImportOperation: Operation, @unchecked Sendable {
        private struct State {
            var isStarted = false
            var isPaused = false
            var fraction = 0.0
            var report = ImportReport()
            var error: (any Error)?
            var total: Int?
        }

        private let work: @Sendable (ImportOperation) throws -> ImportReport
        private let state = Locked(State())
        private let resumed = NSCondition()

        /// A number chosen by the caller, for telling operations apart.
        public let identifier: Int

        /// Creates an operation that imports records into a stack; without one, into the default stack when it starts.
        ///
        /// Save conflicts are handled as in ``Stack/importAllAndWait(_:from:options:onConflict:proceed:)``; without handling, a
        /// chunk is saved through the stack's contexts. ``percentDone`` is based on `expectedRecords` if the source does not know
        /// their number.
        public init<Object: NSManagedObject>(
            _ type: Object.Type, from source: ImportSource, options: ImportOptions = .init(),
            onConflict handling: ConflictHandling? = nil, expectedRecords: Int? = nil, stack: Stack? = nil,
            identifier: Int = 0
        ) {
            self.identifier = identifier
            work = { operation in
                try (stack ?? requireStack()).importAndWait(Object.self, from: source, options, handling) {
                    report, total in
                    operation.proceed(report, of: total ?? expectedRecords)
                }
            }
            super.init()
        }

        /// Whether the operation has begun.
        public var isStarted: Bool { state.withLock { $0.isStarted } }

        /// Whether the operation pauses before the next chunk. Setting it to false resumes the import.
        public var isPaused: Bool {
            get { state.withLock { $0.isPaused } }
            set {
                state.withLock { $0.isPaused = newValue }
                endPause()
            }
        }

        /// The completed part, from 0 to 1. Stays 0 until the end if the number of records is unknown.
        public var percentDone: Double { state.withLock { $0.fraction } }

        /// The report of the saved chunks.
        public var report: ImportReport { state.withLock { $0.report } }

        /// The error that ended the import early, if one did.
        public var error: (any Error)? { state.withLock { $0.error } }

        /// The number of records, if it is known.
        public var totalRecords: Int? { state.withLock { $0.total } }

        /// Called on the operation's thread after each chunk has been saved. The default implementation does nothing.
        open func didImportChunk(_ report: ImportReport) {}

        /// Ends the import before the next chunk. Saved chunks stay.
        open override func cancel() {
            super.cancel()
            endPause()
        }

        /// Has a pausing import check whether it may continue.
        private func endPause() {
            resumed.lock()
            resumed.broadcast()
            resumed.unlock()
        }

        /// Runs the import on the operation queue's thread.
        open override func main() {
            state.withLock { $0.isStarted = true }
            do {
                let report = try work(self)
                state.withLock { state in
                    state.report = report
                    if !report.isCancelled { state.fraction = 1 }
                }
            } catch {
                state.withLock { $0.error = error }
            }
        }

        /// Updates the progress before a chunk and waits for the end of a pause; returns false if the operation is cancelled.
        private func proceed(_ report: ImportReport, of total: Int?) -> Bool {
            state.withLock { state in
                state.report = report
                state.total = total
                if let total, total > 0 { state.fraction = min(1, Double(report.total) / Double(total)) }
            }
            if report.total > 0 { didImportChunk(report) }
            resumed.lock()
            while isPaused && !isCancelled { resumed.wait() }
            resumed.unlock()
            return !isCancelled
        }
    }
}
