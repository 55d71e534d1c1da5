import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Reports progress while statements run, and interrupts them when the caller cancels.
final class ProgressWatch {
    private let handler: StoreProgress.Handler?
    private let database: Database
    private var phase = ""
    private var parts: [Double] = []
    private var done = 0
    private var isCancelled = false
    private var last = 0.0

    /// The number of seconds between two reports.
    private static let interval = 0.05

    init(_ handler: StoreProgress.Handler?, _ database: Database) {
        self.handler = handler
        self.database = database
        guard handler != nil else { return }
        database.readGuard?.watch = { [unowned self] in goesOn() }
    }

    deinit { database.readGuard?.watch = nil }

    /// Begins a phase, with the weights of its parts.
    func phase(_ name: String, parts: [Double] = []) throws {
        phase = name
        self.parts = parts
        done = 0
        try report()
    }

    func partIsDone() throws {
        done = min(done + 1, parts.count)
        try report()
    }

    func requireGoingOn() throws {
        if isCancelled { throw StoreToolError(.cancelled, "The check was cancelled.") }
    }

    private func report() throws {
        _ = goesOn(always: true)
        try requireGoingOn()
    }

    private func goesOn(always: Bool = false) -> Bool {
        guard !isCancelled, let handler else { return !isCancelled }
        let now = ProcessInfo.processInfo.systemUptime
        guard always || now - last >= Self.interval else { return true }
        last = now
        let whole = parts.reduce(0, +)
        let fraction = whole > 0 ? parts.prefix(done).reduce(0, +) / whole : 0
        if !handler(StoreProgress(phase, fraction)) { isCancelled = true }
        return !isCancelled
    }
}
