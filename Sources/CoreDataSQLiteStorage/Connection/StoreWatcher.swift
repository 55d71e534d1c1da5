import Dispatch
import Foundation

/// Notices that somebody else has written to a database file: another process, or another coordinator of this one.
///
/// The system says when a file in the database's folder is written to; whether anything was committed, the connection's
/// data version tells. A commit becomes visible a moment after its last byte is written, so after a write without
/// a new version the version is looked at again, at growing intervals for about a minute. Nothing runs while nobody writes.
package final class StoreWatcher: @unchecked Sendable {
    private let queue = DispatchQueue(label: "CoreData.StoreWatcher", qos: .utility)
    /// Listeners may take their time, and may save.
    private let delivery = DispatchQueue(label: "CoreData.StoreWatcher.delivery", qos: .utility)
    private let connection: SQLiteConnection
    private let onChange: @Sendable () -> Void
    private var folder: FolderWatch?
    private var seenVersion: Int64
    /// Counts writes seen; a series of looks ends when a new one begins.
    private var series = 0
    /// How many writes of this store are under way; what they change is not to be taken for somebody else's.
    private var ownWrites = 0
    private var isStopped = false

    private static let firstDelay = 0.002
    private static let longestDelay = 32.0

    /// - Parameter onChange: Called on a queue of its own.
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
        // Where the system does not tell, looking at the version now and then has to do.
        if folder == nil { queue.async { self.look(in: 1, repeats: true) } }
    }

    /// This store begins to write.
    package func beginOwnWrite() {
        queue.sync { ownWrites += 1 }
    }

    /// This store has written. When that succeeded, listeners are told next, and what is visible now is no news after that.
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

    /// Looks after some time, and again after twice that time and so on, or after the same time for ever.
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
