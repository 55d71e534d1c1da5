import CoreData
import Dispatch

extension MagicalRecord {
    /// Migrates a store from any version of its model to the last one, step by step.
    ///
    /// ```swift
    /// let versions = try MagicalRecord.ModelVersions(named: "AddressBook", in: .module)
    /// try MagicalRecord.migrate(.sqlite(named: "AddressBook"), through: versions) { print($0.fraction) }
    /// try MagicalRecord.setUp(.sqlite(named: "AddressBook"))
    /// ```
    /// Finds the shortest chain of steps (see ``MigrationPath``), where Core Data's automatic migration takes a single one.
    /// All steps work on copies beside the store; the last copy replaces the store at the end. If anything fails before that,
    /// the store is left unchanged. Call this off the main thread for large stores. Does not begin in a cancelled task, and
    /// starts no further step once the task is cancelled.
    ///
    /// Off Apple's platforms a SQLite store is locked for writing during the migration: other writers wait, and contexts that
    /// have the old version open get an error from their next save. On Apple's platforms the store must not be open elsewhere;
    /// if it was written to meanwhile, the migration fails.
    ///
    /// - Parameters:
    ///   - store: the store to migrate.
    ///   - versions: the versions of the model, oldest first.
    ///   - mappings: mapping models created in code, in addition to those in `bundles`.
    ///   - bundles: the bundles to search for mapping models.
    ///   - progress: called on this thread when a step begins and ends, and periodically on another thread during a step.
    /// - Returns: the steps taken; none for a store that is up to date, was destroyed or does not exist.
    /// - Throws: `MagicalRecordError` if the store has none of the versions, if disk space is short, or if the migration was
    ///   cancelled; Core Data's errors, by domain and code, with a description that names the step.
    @discardableResult
    public static func migrate(
        _ store: Store, through versions: ModelVersions, mappings: [NSMappingModel] = [],
        in bundles: [Bundle] = [.main], progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> MigrationReport {
        let migration = ProgressiveMigration(store, versions, mappings, bundles, progress)
        return MigrationReport(steps: try migration?.run(replacing: true) ?? [])
    }

    /// Migrates a copy of the store and discards it. The report has the duration, the object counts and the dropped data of
    /// each step. The store itself is only read.
    ///
    /// - Throws: the errors of ``migrate(_:through:mappings:in:progress:)``.
    public static func rehearseMigration(
        of store: Store, through versions: ModelVersions, mappings: [NSMappingModel] = [],
        in bundles: [Bundle] = [.main], progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> MigrationReport {
        let migration = ProgressiveMigration(store, versions, mappings, bundles, progress)
        return MigrationReport(steps: try migration?.run(replacing: false) ?? [])
    }
}

/// A chain of migrations of one store.
struct ProgressiveMigration {
    private typealias Path = MagicalRecord.MigrationPath

    private let url: URL
    private let store: MagicalRecord.Store
    private let versions: MagicalRecord.ModelVersions
    private let mappings: [NSMappingModel]
    private let bundles: [Bundle]
    private let end: Int?
    private let progress: (@Sendable (MagicalRecord.MigrationProgress) -> Void)?

    private var type: String { store.type }
    private var options: [String: Any] { store.options }
    private var models: [NSManagedObjectModel] { versions.models }

    /// Creates a migration; nil if the store does not exist.
    init?(
        _ store: MagicalRecord.Store, _ versions: MagicalRecord.ModelVersions, _ mappings: [NSMappingModel],
        _ bundles: [Bundle], to end: Int? = nil, _ progress: (@Sendable (MagicalRecord.MigrationProgress) -> Void)?
    ) {
        guard let url = store.url,
            NSPersistentStoreCoordinator.isStoreThere(at: url, type: store.type, options: store.options)
        else { return nil }
        (self.url, self.store, self.versions, self.end) = (url, store, versions, end)
        (self.mappings, self.bundles, self.progress) = (mappings, bundles, progress)
    }

    /// Returns the index of the store's version; nil for a destroyed store, which has none.
    private func start() throws -> Int? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type, at: url, options: options)
        if NSPersistentStoreCoordinator.areOfDestroyedStore(metadata, type: type) { return nil }
        guard let start = versions.index(ofStoreWith: metadata, configuration: store.configuration) else {
            throw MagicalRecordError(
                .modelNotFound, "The store \(url.lastPathComponent) is of none of the \(models.count) versions.",
                advice: "Keep every version that was ever released in the .xcdatamodeld.")
        }
        return start
    }

    private func steps(from start: Int, without refused: Set<Path.Leap> = []) throws -> [Path.Step] {
        try Path(through: versions, from: start, to: end, mappings: mappings, in: bundles, without: refused).steps
    }

    /// The codes of `NSMigrationError` and `NSMigrationConstraintViolationError`.
    private static let codesOfUnfitStores = [134_110, 134_111]

    /// Throws for mistakes that would empty the store or write to a read-only one.
    private func check(replacing: Bool) throws {
        guard models.isEmpty || !models[end ?? models.count - 1].entities.isEmpty else {
            throw MagicalRecordError(
                .modelNotFound, "The version to migrate \(url.lastPathComponent) to has no entities.",
                advice: "Load the model from its file, and check that the program's resources have it.")
        }
        let isReadOnly =
            store.isReadOnly || (options[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
        guard replacing, isReadOnly else { return }
        throw MagicalRecordError(
            .storeFile, "\(url.lastPathComponent) cannot be migrated: it is for reading only.",
            advice: "Leave NSReadOnlyPersistentStoreOption out, or rehearse the migration only.")
    }

    /// Returns the steps taken.
    func run(replacing: Bool) throws -> [MagicalRecord.MigrationReport.Step] {
        guard let found = try start() else { return [] }
        var steps = try steps(from: found)
        guard !steps.isEmpty else { return [] }
        try check(replacing: replacing)
        if Cancellation.isRequested { throw ProgressWatch.cancellation }
        try checkSpace()
        let replacement = try NSPersistentStoreCoordinator.replacement(ofStoreAt: url, type: type, options: options)
        if replacing { try replacement.hold() }
        // Another process may have migrated the store during the wait.
        guard let start = try start() else { return [] }
        if start != found { steps = try self.steps(from: start) }
        var current = url
        var reports: [MagicalRecord.MigrationReport.Step] = []
        var refused: Set<Path.Leap> = []
        while reports.count < steps.count {
            if Cancellation.isRequested { throw ProgressWatch.cancellation }
            let index = reports.count
            let isLast = index == steps.count - 1
            let next = isLast ? replacement.successor : try replacement.place(ofStep: index + 1)
            do {
                reports.append(try migrate(steps[index], number: index + 1, of: steps.count, from: current, to: next))
            } catch {
                // Goes by the intermediate versions if an inferred step over several versions failed on the store's data.
                let leap = steps[index].leap
                guard steps[index].isInferred, leap.span.count > 2, (error as NSError).domain == NSCocoaErrorDomain,
                    Self.codesOfUnfitStores.contains((error as NSError).code)
                else { throw error }
                refused.insert(leap)
                guard let others = try? self.steps(from: leap.from, without: refused) else { throw error }
                steps.replaceSubrange(index..., with: others)
                continue
            }
            // Each step needs only the copy before it.
            if index > 0 { replacement.removeStep(index) }
            current = next
        }
        if replacing, current != url { try replacement.swap() }
        return reports
    }

    private func migrate(
        _ step: Path.Step, number: Int, of count: Int, from source: URL, to destination: URL
    ) throws -> MagicalRecord.MigrationReport.Step {
        let before = MigrationCensus(url: source, type: type, model: step.source, options: options)
        let (rowsIn, losses) = try before.open { context in
            (try before.rows(context), try before.losses(step.mapping, to: step.destination, context))
        }
        let manager = NSMigrationManager(sourceModel: step.source, destinationModel: step.destination)
        #if canImport(Darwin)
        let leadsBack = step.leadsBack
        #else
        let leadsBack =
            try step.leadsBack
            || step.destination.isFormerVersion(
                ofStoreWith: NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: type, at: source, options: options))
        manager.leadsBack = leadsBack
        #endif
        let watch = ProgressWatch(manager, step: number, of: count, progress)
        let begin = DispatchTime.now().uptimeNanoseconds
        do {
            let options = options.isEmpty ? nil : options
            watch.start()
            defer { watch.stop() }
            try manager.migrateStore(
                from: source, sourceType: type, options: options, with: step.mapping, toDestinationURL: destination,
                destinationType: type, destinationOptions: options)
        } catch {
            throw MigrationStepError.failed(error, in: step, of: models, store: url, copies: [source, destination])
        }
        watch.report(1)
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
        if watch.isCancelled { throw ProgressWatch.cancellation }
        let after = MigrationCensus(url: destination, type: type, model: step.destination, options: options)
        return MagicalRecord.MigrationReport.Step(
            from: step.versions.from, to: step.versions.to, leadsBack: leadsBack, isInferred: step.isInferred,
            seconds: seconds, rowsIn: rowsIn, rowsOut: try after.open(after.rows), losses: losses)
    }

    /// Checks the free disk space: two copies may exist at once, and the last one is copied over the store.
    private func checkSpace() throws {
        guard url.isFileURL else { return }
        let manager = FileManager.default
        let sizes = ["", "-wal"].map { try? manager.attributesOfItem(atPath: url.path + $0)[.size] as? NSNumber }
        let size = sizes.reduce(0) { $0 + ($1?.int64Value ?? 0) }
        let folder = url.deletingLastPathComponent().path
        let free = try? manager.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? NSNumber
        guard let free, free.int64Value < size * 3 else { return }
        throw MagicalRecordError(
            .storeFile, "Migrating \(url.lastPathComponent) may need \(size * 3) bytes, of which \(free) are free.",
            advice: "Free some space and try again; the store was left as it is.")
    }
}

/// Polls a migration manager for its progress: Apple's supports KVO, ours does not.
private final class ProgressWatch: @unchecked Sendable {
    static let cancellation = MagicalRecordError(.cancelled, "The migration was cancelled; the store is as it was.")

    private let manager: NSMigrationManager
    private let step: Int
    private let count: Int
    private let progress: (@Sendable (MagicalRecord.MigrationProgress) -> Void)?
    private let cancelled = Locked(false)
    private var timer: (any DispatchSourceTimer)?
    private let queue = DispatchQueue(label: "MagicalRecord.migration")

    init(
        _ manager: NSMigrationManager, step: Int, of count: Int,
        _ progress: (@Sendable (MagicalRecord.MigrationProgress) -> Void)?
    ) {
        (self.manager, self.step, self.count, self.progress) = (manager, step, count, progress)
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func start() {
        Cancellation.current?.onCancel { [self] in cancel() }
        guard progress != nil else { return }
        report(0)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 0.05, repeating: 0.05)
        timer.setEventHandler { [self] in report(Double(manager.migrationProgress)) }
        timer.resume()
        self.timer = timer
    }

    func stop() {
        Cancellation.current?.onCancel(nil)
        timer?.cancel()
        timer = nil
        // Waits for a report in progress.
        queue.sync {}
    }

    func report(_ fraction: Double) {
        progress?(
            MagicalRecord.MigrationProgress(
                step: step, stepCount: count, fraction: (Double(step - 1) + min(1, fraction)) / Double(count),
                cancel: { [self] in cancel() }))
    }

    private func cancel() {
        cancelled.withLock { $0 = true }
        manager.cancelMigrationWithError(Self.cancellation)
    }
}
