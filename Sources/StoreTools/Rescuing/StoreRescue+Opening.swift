import CoreDataStoreFiles
import Foundation
import ModelFormat

extension StoreRescue {
    /// The treatment of a damaged store by ``open(_:else:model:after:timeout:progress:)``.
    public enum Fallback: Sendable {
        /// Puts a rescued store into its place, and keeps the old files.
        case rescue
        /// Changes nothing.
        case report
    }

    /// The state of a store at the launch of a program.
    public enum Opening: Sendable {
        /// The store can be opened, or there is none yet.
        case ready
        /// The store is not damaged, but cannot be opened now. Try again when the condition may have changed; do not delete
        /// it.
        case unavailable(StoreCondition)
        /// The store was damaged, and a rescued one is in its place now. The old files are in `oldFiles`.
        case rescued(RescueReport, oldFiles: URL)
        /// A process that ended during the exchange had rescued the store; the rescued one is in its place now.
        case rescuedBefore(oldFiles: URL)
        /// The store is damaged, and nothing was changed.
        case damaged(StoreCheck.Report)
    }

    /// Examines a store before it is opened, and rescues it if it is damaged.
    ///
    /// ```swift
    /// switch try StoreRescue.open(url, else: .rescue) {
    /// case .ready: break
    /// case .unavailable(let condition): showLater(condition.message)
    /// case .rescued(let report, let oldFiles): log(report, oldFiles)
    /// case .rescuedBefore(let oldFiles): log(oldFiles)
    /// case .damaged(let report): log(report)
    /// }
    /// ```
    ///
    /// The examination is quick: the files, their header, the system tables, the model, and the first page of every table and
    /// index; at most 50 ms for a healthy store, whatever its size. Pass the error with which opening or using the store
    /// failed, and a store that looks healthy is read completely.
    ///
    /// A rescue waits for the lock that migrations hold, and happens only while no process has the store open. Call this before
    /// the store is added to a coordinator, and not on the main thread: a rescue takes about as long as reading the file three
    /// times.
    ///
    /// - Parameters:
    ///   - url: The store's file.
    ///   - fallback: What to do with a damaged store.
    ///   - model: The store's model; nil for the one in the file. Give it if you can: the one in the file may be damaged.
    ///   - error: The error with which opening or using the store failed before.
    ///   - timeout: The seconds to wait for another process that migrates or rescues the store.
    ///   - progress: Receives the progress of a complete check and of a rescue.
    /// - Throws: ``StoreToolError`` if the rescue or the exchange fails; the store is unchanged then.
    public static func open(
        _ url: URL, else fallback: Fallback, model: Model? = nil, after error: (any Error)? = nil,
        timeout: Double = 10, progress: StoreProgress.Handler? = nil
    ) throws -> Opening {
        let store = ResolvedPath.resolving(url.path).map { URL(fileURLWithPath: $0) } ?? url
        if let oldFiles = try StoreSwap.finish(beside: store) { return .rescuedBefore(oldFiles: oldFiles) }
        switch try QuickCheck(store, model: model).run(complete: error != nil, progress) {
        case .ready: return .ready
        case .unavailable(let condition): return .unavailable(condition)
        case .damaged(let report):
            guard fallback == .rescue else { return .damaged(report) }
        }
        let folder: ReplacementFolder
        do {
            folder = try ReplacementFolder(beside: store, timeout: timeout)
        } catch ReplacementFolder.Failure.inUse {
            return .unavailable(.locked)
        } catch ReplacementFolder.Failure.notCreated(let code) {
            throw StoreToolError(
                .destination, "No folder can be created beside \(store.lastPathComponent) for the rescued store.",
                advice: "Give the process the permission to write to \(store.deletingLastPathComponent().path).",
                url: store, underlying: String(cString: strerror(code)))
        }
        folder.empty()
        // Another process may have rescued it while this one waited.
        switch try QuickCheck(store, model: model).run(complete: error != nil, progress) {
        case .ready: return .ready
        case .unavailable(let condition): return .unavailable(condition)
        case .damaged: break
        }
        var rescue = StoreRescue(store)
        rescue.model = model
        rescue.progress = progress
        let rescued = folder.url.appendingPathComponent(store.lastPathComponent)
        var report = try rescue.write(to: rescued)
        if case .inUse = StoreCondition.of(store) { return .unavailable(.inUse) }
        let swap = try StoreSwap(of: store)
        if let leftovers = report.leftovers {
            let kept = swap.folder.appendingPathComponent("leftovers.ndjson")
            guard rename(leftovers.path, kept.path) == 0 else {
                throw StoreToolError(
                    .destination, "The rows that the rescued store cannot hold could not be kept.",
                    advice: "Check the permissions of \(store.deletingLastPathComponent().path) and the free space.",
                    url: kept, underlying: String(cString: strerror(errno)))
            }
            report.leftovers = kept
        }
        try swap.run(with: rescued)
        report.move(to: store, oldFiles: swap.folder)
        return .rescued(report, oldFiles: swap.folder)
    }
}

extension RescueReport {
    /// Names the places of the files after the exchange.
    mutating func move(to store: URL, oldFiles: URL) {
        url = store
        let old = StoreSwap.supportFolder(of: store).path
        let new = oldFiles.appendingPathComponent(StoreSwap.supportFolder(of: store).lastPathComponent).path
        orphanedFiles = orphanedFiles.map { file in
            file.path.hasPrefix(old + "/") ? URL(fileURLWithPath: new + file.path.dropFirst(old.count)) : file
        }
    }
}
