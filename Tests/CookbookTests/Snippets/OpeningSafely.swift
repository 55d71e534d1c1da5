import Foundation
import MagicalRecord
import ModelFormat
import StoreTools

// The code of the article about the launch of programs.

// snippet
enum StoreAtLaunch {
    case ready
    /// Show the message, keep the file, and try again later.
    case later(message: String)
    /// Tell the user, and keep the report for support.
    case rescued(report: RescueReport, oldFiles: URL)
}

func prepareStore(_ url: URL, after failure: (any Error)? = nil) throws -> StoreAtLaunch {
    switch try StoreRescue.open(url, else: .rescue, after: failure) {
    case .ready, .rescuedBefore: .ready
    case .unavailable(let condition): .later(message: condition.message)
    case .rescued(let report, let oldFiles): .rescued(report: report, oldFiles: oldFiles)
    case .damaged(let report): .later(message: report.condition.message)  // only for `else: .report`
    }
}
// end

// snippet
func launchApp(_ url: URL) async throws -> StoreAtLaunch {
    // A rescue may take seconds: not on the main thread.
    let state = try await Task.detached { try prepareStore(url) }.value
    if case .later = state { return state }
    do {
        try await MagicalRecord.setUpInBackground(.sqlite(at: url), migration: .automatic)
        return state
    } catch {
        // The store looked healthy: now all of it is read.
        let second = try await Task.detached { try prepareStore(url, after: error) }.value
        guard case .rescued = second else { throw error }
        try await MagicalRecord.setUpInBackground(.sqlite(at: url), migration: .automatic)
        return second
    }
}
// end

struct StoreIsUnavailable: Error {
    let message: String
}

// snippet
func startServer(_ url: URL, model: Model?) async throws -> MagicalRecord.Stack {
    // Several workers may start at once: the first one rescues, and the others wait for it.
    for attempt in 1... {
        switch try StoreRescue.open(url, else: .rescue, model: model, timeout: 120) {
        case .ready: break
        case .rescued(let report, let oldFiles):
            for note in report.notes { print("rescue: \(note.entity ?? "store"): \(note.message) \(note.keys)") }
            print("rescue: the old files are in \(oldFiles.path)")
        case .rescuedBefore(let oldFiles): print("rescue: the old files are in \(oldFiles.path)")
        case .unavailable(let condition):
            // An old worker may still have it open.
            guard attempt < 10 else { throw StoreIsUnavailable(message: condition.message) }
            try await Task.sleep(nanoseconds: 3_000_000_000)
            continue
        case .damaged(let report): throw StoreIsUnavailable(message: report.condition.message)
        }
        break
    }
    return try MagicalRecord.Stack([.sqlite(at: url)], shape: .server)
}
// end

func showProgress(_ url: URL, show: @escaping @Sendable (String, Double) -> Void) throws {
    // snippet
    let opening = try StoreRescue.open(url, else: .rescue) { progress in
        show(progress.phase, progress.fraction)
        return true  // false cancels it, and leaves the store as it is
    }
    // end
    _ = opening
}
