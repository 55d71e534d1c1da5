import CCoreDataSQLite
import CoreDataRowStorage

/// Calls a function every some thousand steps of SQLite's virtual machine. If it returns false, running statements fail.
final class StatementWatch {
    private let goesOn: () -> Bool

    private static let steps: Int32 = 4_000

    init(goesOn: @escaping () -> Bool) { self.goesOn = goesOn }

    /// Watches the statements of a connection that `body` runs.
    func watching<Result>(_ connection: SQLiteConnection, _ body: () throws -> Result) throws -> Result {
        try withExtendedLifetime(self) {
            sqlite3_progress_handler(
                connection.handle, Self.steps,
                { context in
                    guard let context else { return 0 }
                    let watch = Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue()
                    return watch.goesOn() ? 0 : 1
                }, Unmanaged.passUnretained(self).toOpaque())
            defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
            return try body()
        }
    }
}

extension SQLiteConnection {
    /// Runs a fetch, which ends when it is cancelled or its deadline has passed, even in the middle of a statement that
    /// has not returned a row yet.
    ///
    /// - Throws: as `body` and ``FetchInterruption/check()``.
    @inline(__always)
    func interrupting<Result>(_ fetch: StoreFetch, _ body: () throws -> Result) throws -> Result {
        guard let interruption = fetch.interruption else { return try body() }
        return try interrupting(interruption, body)
    }

    @inline(never)
    func interrupting<Result>(
        _ interruption: FetchInterruption, _ body: () throws -> Result
    ) throws -> Result {
        try interruption.check()
        // SQLite has one error code for all interruptions.
        var reason: (any Error)?
        let watch = StatementWatch {
            do {
                try interruption.check()
                return true
            } catch {
                reason = error
                return false
            }
        }
        do {
            return try watch.watching(self, body)
        } catch {
            throw reason ?? error
        }
    }
}
