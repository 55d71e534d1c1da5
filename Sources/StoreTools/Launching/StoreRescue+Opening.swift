import Foundation
import ModelFormat

extension StoreRescue {
    /// The treatment of a damaged store by ``open(_:else:model:after:timeout:progress:)``.
    public enum Fallback: Sendable {
        /// Puts a rescued store into its place, and keeps the old files.
        case rescue
        /// Leaves it as it is.
        case report
    }

    /// The state of a store at the launch of a program.
    public enum Opening: Sendable {
        /// The store can be opened, or there is none yet.
        case ready
        /// The store is not known to be damaged, but cannot be opened or replaced now. Try again when the condition
        /// may have changed; do not delete it.
        case unavailable(StoreCondition)
        /// The store was damaged, and a rescued one is in its place now. The old files are in `oldFiles`.
        case rescued(RescueReport, oldFiles: URL)
        /// A process that ended meanwhile had rescued the store; the rescued one is in its place now.
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
    /// Call this before the store is added to a coordinator, and not on the main thread: a rescue takes about as long
    /// as reading the file three times and copying it three times. The examination is quick: the files, their header,
    /// the system tables, and the pages from the root of every table and index to its first and last leaf; at most 50
    /// ms for a healthy store, whatever its size, besides reading the log. Pass the error with which opening or using
    /// the store failed, and a store that looks healthy is read completely.
    ///
    /// A rescue waits for the lock that migrations hold. Only a store that no process has open is replaced, by one
    /// renaming: whenever the process is killed, the store is the old one with its log or the rescued one. Its file,
    /// permissions, UUID and external files remain, and object IDs and history tokens stay valid. The old files, with
    /// copies or hard links of the external ones, are in a folder beside the store, `NAME.damaged-TIME`. That needs
    /// space for two copies of the store, temporarily for three.
    ///
    /// - Parameters:
    ///   - url: The store's file, or a link to it.
    ///   - fallback: What to do with a damaged store.
    ///   - model: The model with which the store was saved; nil for the one in the file. Give it if you can: the one
    ///     in the file may be damaged. A model that is not the store's, as before a migration, is ignored.
    ///   - error: The error with which opening or using the store failed before.
    ///   - timeout: The seconds to wait for another process that migrates or rescues the store.
    ///   - progress: Receives the progress of a complete check and of a rescue.
    /// - Throws: ``StoreToolError`` if the rescue or the exchange fails or is cancelled; the store is unchanged then.
    public static func open(
        _ url: URL, else fallback: Fallback, model: Model? = nil, after error: (any Error)? = nil,
        timeout: Double = 10, progress: StoreProgress.Handler? = nil
    ) throws -> Opening {
        try open(
            url, else: fallback, model: model, after: error, timeout: timeout, progress: progress, step: { _ in })
    }

    /// Examines and rescues a store, with a hook for tests.
    ///
    /// - Parameter step: Called after each step of a rescue. If it throws ``LaunchStep/Stop``, everything on the disk
    ///   remains as if the process had been killed, except the replacement folder.
    package static func open(
        _ url: URL, else fallback: Fallback, model: Model? = nil, after error: (any Error)? = nil,
        timeout: Double = 10, progress: StoreProgress.Handler? = nil, step: @escaping (LaunchStep) throws -> Void
    ) throws -> Opening {
        try StoreLaunch(
            url, fallback: fallback, model: model, isComplete: error != nil, timeout: timeout, progress: progress,
            step: step
        ).run()
    }
}

/// The steps of a rescue at launch, for tests.
package enum LaunchStep: String, Sendable, CaseIterable {
    /// The replacement folder is locked.
    case folderLocked
    /// The rescued store is in the replacement folder.
    case rescued
    /// Its pages are in the new log.
    case logWritten
    /// The old files are copied.
    case filesCopied
    /// The folder of the old files has its name.
    case kept
    /// The store is locked.
    case storeLocked
    /// The new log is beside the store.
    case exchanged
    /// The old journal and index are removed.
    case cleaned
    /// The store is unlocked.
    case unlocked
    /// The log is merged into the file.
    case merged

    /// The error that stops a rescue without tidying up.
    package struct Stop: Error {
        package init() {}
    }
}
