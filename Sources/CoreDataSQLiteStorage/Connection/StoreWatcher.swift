import Dispatch
import Foundation

/// Detects commits to a database file by other processes and by other coordinators of this process.
///
/// The system reports writes to files in the database's folder; the connection's data version shows whether they committed
/// anything. A commit becomes visible a moment after its last byte is written. If the version is unchanged after a write, it
/// is checked again at growing intervals for about a minute. Without writes, nothing runs.
package final class StoreWatcher: @unchecked Sendable {
    private let queue = DispatchQueue(label: "CoreData.StoreWatcher", qos: .utility)
    /// Runs the listeners, which may block, and may save.
    private let delivery = DispatchQueue(label: "CoreData.StoreWatcher.delivery", qos: .utility)
    private let connection: SQLiteConnection
    private let onChange: @Sendable () -> Void
    private var folder: FolderWatch?
    private var seenVersion: Int64
    /// Counts writes seen; a series of checks ends when the next one begins.
    private var series = 0
    /// The number of this store's writes in progress; their changes are not reported.
    private var ownWrites = 0
    private var isStopped = false

    private static let firstDelay = 0.002
    private static let longestDelay = 32.0

    /// Starts watching the file of a pool.
    ///
    /// - Parameter onChange: Called on a private queue.
    package init(pool: ConnectionPool, onChange: @escaping @Sendable () -> Void) throws {
        connection = try pool.makeReader()
        self.onChange = onChange
        seenVersion = try Self.version(connection)
        let file = URL(fileURLWithPath: pool.path)
        let names = Set([file.lastPathComponent, file.lastPathComponent + "-wal"])
        folder = FolderWatch(folder: file.deletingLastPathComponent(), queue: queue) { [weak self] name in
            guard let self, name.map(names.contains) ?? true else { return }
            fileChanged()
        }
        // If the system reports no writes, the version is polled.
        if folder == nil { queue.async { self.look(in: 1, repeats: true) } }
    }

    /// Marks the beginning of a write by this store.
    package func beginOwnWrite() {
        queue.sync { ownWrites += 1 }
    }

    /// Marks the end of a write by this store. If it succeeded, the caller notifies the listeners, so the current version
    /// counts as seen.
    package func endOwnWrite(succeeded: Bool) {
        queue.sync {
            ownWrites -= 1
            if succeeded, let version = try? Self.version(connection) { seenVersion = version }
            check()
        }
    }

    package func stop() {
        queue.async {
            self.isStopped = true
            self.folder = nil
        }
    }

    private static func version(_ connection: SQLiteConnection) throws -> Int64 {
        let statement = try connection.statement(dataVersion)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    private static let dataVersion = SQLText("PRAGMA data_version")

    private func fileChanged() {
        series += 1
        check()
        look(in: Self.firstDelay)
    }

    private func check() {
        guard !isStopped, ownWrites == 0, let version = try? Self.version(connection), version != seenVersion else {
            return
        }
        seenVersion = version
        delivery.async(execute: onChange)
    }

    /// Checks after a delay, and again with doubling or constant delays.
    private func look(in seconds: Double, repeats: Bool = false) {
        let current = series
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, !isStopped, current == series else { return }
            check()
            if repeats {
                look(in: seconds, repeats: true)
            } else if seconds < Self.longestDelay {
                look(in: seconds * 2)
            }
        }
    }
}
