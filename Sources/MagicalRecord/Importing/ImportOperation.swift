import CoreData

/// An import that runs in an operation queue: it can wait for others, be paused, watched and cancelled.
///
/// ```swift
/// let operation = MagicalRecord.ImportOperation(User.self, from: .file(url))
/// operation.completionBlock = { … }
/// queue.addOperation(operation)
/// ```
/// Records are imported chunk by chunk on a context of the operation's own; each chunk is saved and merged into the
/// stack's main context. Subclasses may override ``didImportChunk(_:)``.
///
/// All properties may be used from any thread.
#if canImport(ObjectiveC)
@objc(MRImportOperation)
#endif
extension MagicalRecord {
    open class ImportOperation: Operation, @unchecked Sendable {
        private struct State {
            var isStarted = false
            var isPaused = false
            var fraction = 0.0
            var report = MagicalRecord.ImportReport()
            var error: (any Error)?
            var total: Int?
        }

        private let work: @Sendable (MagicalRecord.ImportOperation) throws -> MagicalRecord.ImportReport
        private let state = Locked(State())
        private let resumed = NSCondition()

        /// A number of your own, for telling operations apart.
        public let identifier: Int

        /// - Parameters:
        ///   - type: the class of the objects.
        ///   - source: where the records come from.
        ///   - options: what the import may do.
        ///   - handling: what happens when others have written what a chunk is about, as in
        ///     ``Stack/importAllAndWait(_:from:options:onConflict:proceed:)``; without one a chunk goes through the stack's contexts.
        ///   - expectedRecords: how many records there will be, for ``percentDone`` with sources that do not know.
        ///   - stack: the stack to import into; without one, the default stack when the operation starts.
        ///   - identifier: a number of your own.
        public init<Object: NSManagedObject>(
            _ type: Object.Type, from source: MagicalRecord.ImportSource,
            options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
            onConflict handling: MagicalRecord.ConflictHandling? = nil, expectedRecords: Int? = nil,
            stack: MagicalRecord.Stack? = nil, identifier: Int = 0
        ) {
            self.identifier = identifier
            work = { operation in
                try (stack ?? MagicalRecord.requireStack()).importAndWait(
                    { try MagicalRecord.Query<Object>().entity(in: $0) }, from: source, options: options,
                    deciding: handling, started: { operation.setTotal($0 ?? expectedRecords) },
                    proceed: { operation.proceed($0) })
            }
            super.init()
        }

        /// Whether the operation has begun.
        public var isStarted: Bool { state.withLock { $0.isStarted } }

        /// Whether the operation waits before the next chunk. Setting it to false lets it go on.
        public var isPaused: Bool {
            get { state.withLock { $0.isPaused } }
            set {
                resumed.lock()
                state.withLock { $0.isPaused = newValue }
                resumed.broadcast()
                resumed.unlock()
            }
        }

        /// How much is done, from 0 to 1; 0 until the end where the number of records is not known.
        public var percentDone: Double { state.withLock { $0.fraction } }

        /// What has been done so far.
        public var report: MagicalRecord.ImportReport { state.withLock { $0.report } }

        /// Why the import ended early, if it did.
        public var error: (any Error)? { state.withLock { $0.error } }

        /// How many records there are, when that is known.
        public var totalRecords: Int? { state.withLock { $0.total } }

        /// Called on the operation's thread after each chunk has been saved. Does nothing.
        open func didImportChunk(_ report: MagicalRecord.ImportReport) {}

        /// Ends the import before the next chunk. What was saved stays.
        open override func cancel() {
            super.cancel()
            resumed.lock()
            resumed.broadcast()
            resumed.unlock()
        }

        /// Imports, on the operation queue's thread.
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

        private func setTotal(_ total: Int?) {
            state.withLock { $0.total = total }
        }

        /// Before each chunk: notes how far the import is, and waits while it is paused. False when it is cancelled.
        private func proceed(_ report: MagicalRecord.ImportReport) -> Bool {
            let isFirst = report.total == 0
            state.withLock { state in
                state.report = report
                if let total = state.total, total > 0 { state.fraction = min(1, Double(report.total) / Double(total)) }
            }
            if !isFirst { didImportChunk(report) }
            resumed.lock()
            while isPaused && !isCancelled { resumed.wait() }
            resumed.unlock()
            return !isCancelled
        }
    }
}
