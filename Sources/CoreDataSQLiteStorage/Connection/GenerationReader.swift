import CoreDataRowStorage
import Foundation

/// A connection that keeps showing one state of its file.
///
/// It has an open read transaction: SQLite then shows it the file as it was. As long as it is open the write-ahead log cannot be
/// emptied past that state, so one that is kept for long lets the log grow. Reads of one state take turns.
final class GenerationReader: PinnedState, @unchecked Sendable {
    package let owner: ObjectIdentifier
    private let lock = NSRecursiveLock()
    private let connection: SQLiteConnection

    /// nil for a file in rollback mode, where an open reader would keep all others from writing.
    init?(_ pool: ConnectionPool) throws {
        let connection = try pool.makeReader()
        guard try connection.text("PRAGMA journal_mode")?.lowercased() == "wal" else { return nil }
        try connection.execute("BEGIN")
        // The state is chosen by the first read, not by BEGIN.
        _ = try connection.integer("SELECT COUNT(*) FROM sqlite_master")
        self.connection = connection
        owner = ObjectIdentifier(pool)
    }

    func read<Result>(_ body: (SQLiteConnection) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(connection)
    }
}

extension ConnectionPool {
    /// The state of the file that this thread reads, where that is pinned. Ask ``GenerationScope/isUsed`` first.
    var pinnedReader: GenerationReader? { GenerationScope.current?.state(of: self) as? GenerationReader }
}

extension SQLiteEngine {
    package func pin() throws -> (any PinnedState)? { try GenerationReader(pool) }
}
