import CoreDataStoreFiles
import Foundation
import ModelFormat

/// One call of ``StoreRescue/open(_:else:model:after:timeout:progress:)``.
struct StoreLaunch {
    let store: URL
    let fallback: StoreRescue.Fallback
    let model: Model?
    /// True if a store that looks healthy is read completely.
    let isComplete: Bool
    let timeout: Double
    let progress: StoreProgress.Handler?
    let step: (LaunchStep) throws -> Void

    init(
        _ url: URL, fallback: StoreRescue.Fallback, model: Model?, isComplete: Bool, timeout: Double,
        progress: StoreProgress.Handler?, step: @escaping (LaunchStep) throws -> Void
    ) {
        store = ResolvedPath.resolving(url.path).map { URL(fileURLWithPath: $0) } ?? url
        self.fallback = fallback
        self.model = model
        self.isComplete = isComplete
        self.timeout = timeout
        self.progress = progress
        self.step = step
    }

    func run() throws -> StoreRescue.Opening {
        if OpenDatabases.contains(store.path) { return .unavailable(.inUse) }
        if StoreSwap.hasUnfinished(beside: store) {
            // Without permission to write, the log beside the file still makes it the rescued store.
            if let finished = try finish() { return finished }
        }
        let state = StoreFileState(store)
        let result = try check()
        guard case .damaged(let report) = result, fallback == .rescue else {
            if case .ready = result, fallback == .rescue { removeAbandonedFolder() }
            return result
        }
        guard let folder = try lockedFolder() else { return .unavailable(.locked) }
        folder.empty()
        try step(.folderLocked)
        return try withExtendedLifetime(folder) {
            // Another process may have rescued it while this one waited.
            if let finished = try finish(folder) { return .rescuedBefore(oldFiles: finished) }
            guard StoreFileState(store) != state else { return try rescue(report, in: folder) }
            let result = try check()
            guard case .damaged(let report) = result else { return result }
            return try rescue(report, in: folder)
        }
    }

    // MARK: Parts

    private func check() throws -> StoreRescue.Opening {
        try QuickCheck(store, model: model).run(complete: isComplete, progress)
    }

    /// Returns the replacement folder; nil if another process works in it for longer than the timeout.
    private func lockedFolder() throws -> ReplacementFolder? {
        do {
            return try ReplacementFolder(beside: store, timeout: timeout)
        } catch ReplacementFolder.Failure.inUse {
            return nil
        } catch ReplacementFolder.Failure.notCreated(let code) {
            throw StoreToolError(
                .destination, "No folder can be created beside \(store.lastPathComponent) for the rescued store.",
                advice: "Give the process the permission to write to \(store.deletingLastPathComponent().path).",
                url: store, underlying: String(cString: strerror(code)))
        }
    }

    /// Deletes the replacement folder that a killed process has left.
    private func removeAbandonedFolder() {
        guard FileIdentity(ReplacementFolder.location(beside: store).path) != nil else { return }
        _ = try? ReplacementFolder(beside: store, timeout: 0)
    }

    /// Completes what another process has begun; returns nil if that was nothing, or is not wanted.
    private func finish() throws -> StoreRescue.Opening? {
        do {
            guard let folder = try lockedFolder() else { return .unavailable(.locked) }
            return try withExtendedLifetime(folder) { try finish(folder).map { .rescuedBefore(oldFiles: $0) } }
        } catch let error as StoreToolError where error.code == .destination && fallback == .report {
            return nil
        }
    }

    private func finish(_ folder: ReplacementFolder) throws -> URL? {
        try StoreSwap(store, folder.url, step).finishOthers(exchanges: fallback == .rescue)
    }

    private func rescue(_ damage: StoreCheck.Report, in folder: ReplacementFolder) throws -> StoreRescue.Opening {
        let swap = StoreSwap(store, folder.url, step)
        // Locked for a moment: no process has the store open, and this one may replace it.
        guard try StoreSwap.locked(store, { _ in }) != nil else { return .unavailable(.inUse) }
        let state = StoreFileState(store)
        var report: RescueReport
        do {
            report = try rescued(to: swap.rescued)
        } catch let error as StoreToolError where error.code == .changed {
            return .unavailable(.inUse)
        }
        if damage.condition == .logMissing, report.entities.allSatisfy({ $0.kept == 0 }) {
            let condition = StoreCondition.logMissing
            throw StoreToolError(
                .nothingRescued, condition.message(for: "The store \(store.lastPathComponent)"),
                advice: condition.advice, url: store)
        }
        try step(.rescued)
        guard let oldFiles = try swap.run(leftovers: report.leftovers, state: state) else {
            return .unavailable(.inUse)
        }
        report.move(to: store, oldFiles: oldFiles)
        return .rescued(report, oldFiles: oldFiles)
    }

    private func rescued(to url: URL) throws -> RescueReport {
        var rescue = StoreRescue(store)
        rescue.model = model
        rescue.progress = progress
        rescue.copiesExternalFiles = false
        do {
            return try rescue.write(to: url)
        } catch let error as StoreToolError where error.code == .otherModel && model != nil {
            rescue.model = nil
            do { return try rescue.write(to: url) } catch let second as StoreToolError where second.code == .noModel {
                throw error
            }
        }
    }
}

extension RescueReport {
    /// Names the places of the files after the exchange.
    fileprivate mutating func move(to store: URL, oldFiles: URL) {
        url = store
        if leftovers != nil { leftovers = oldFiles.appendingPathComponent(OldFiles.leftovers) }
        let old = OldFiles.externalFolder(of: store).path
        let new = oldFiles.appendingPathComponent(OldFiles.externalFolder(of: store).lastPathComponent).path
        orphanedFiles = orphanedFiles.map { file in
            file.path.hasPrefix(old + "/") ? URL(fileURLWithPath: new + file.path.dropFirst(old.count)) : file
        }
    }
}
