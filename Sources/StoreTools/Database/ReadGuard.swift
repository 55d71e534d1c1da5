import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The limits of a connection that reads a file of unknown origin: no views and triggers, no statements of the file's that
/// compute, and no more work than a file of its size can need.
final class ReadGuard {
    /// The uses of the file's schema that are refused.
    fileprivate(set) var trust = SchemaTrust()
    /// True if statements were interrupted because they took more steps than the file can need.
    private(set) var isExhausted = false
    /// Receives calls while statements run; false interrupts them.
    var watch: (() -> Bool)?

    private var steps: Int64 = 0
    private let limit: Int64

    /// The number of SQLite's instructions between two calls of the handler.
    private static let interval: Int32 = 10_000
    private static let leastSteps: Int64 = 20_000_000
    /// The most instructions for each byte of the file. Checks need less than ten.
    private static let stepsPerByte: Int64 = 300
    /// The least limit of the size of a value.
    private static let leastLength: Int64 = 64 << 20

    fileprivate init(fileSize: Int64) {
        limit = Self.leastSteps + min(max(fileSize, 0), 1 << 50) * Self.stepsPerByte
    }

    private func goesOn() -> Bool {
        steps += Int64(Self.interval)
        if steps > limit { isExhausted = true }
        return !isExhausted && watch?() != false
    }

    private func allows(_ action: Int32, _ table: UnsafePointer<CChar>?, within program: UnsafePointer<CChar>?) -> Bool
    {
        if action == SQLITE_ATTACH || action == SQLITE_DETACH { return false }
        // An access by a view, a trigger or a common table expression names it.
        if !trust.programs.isEmpty, let program, trust.programs.contains(String(cString: program).uppercased()) {
            return false
        }
        guard action == SQLITE_READ, !trust.refused.isEmpty, let table else { return true }
        return !trust.refused.contains(String(cString: table).uppercased())
    }

    /// Applies the limits to a connection, which must not outlive this object.
    fileprivate func apply(to handle: OpaquePointer, allocatedSize: Int64) -> Int32 {
        // A value cannot be larger than what is in the file: a sparse file has a size that is not.
        let length = max(Self.leastLength, min(allocatedSize, Int64(Int32.max)))
        _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(length))
        _ = sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 1_000_000)
        _ = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        _ = sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1)
        #if canImport(CCoreDataSQLite)
        let result = csqlite_distrust(handle)
        guard result == SQLITE_OK else { return result }
        #endif
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, Self.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadGuard>.fromOpaque(context).takeUnretainedValue().goesOn() ? 0 : 1
            }, context)
        return sqlite3_set_authorizer(
            handle,
            { context, action, first, _, _, program in
                guard let context else { return SQLITE_OK }
                let guardian = Unmanaged<ReadGuard>.fromOpaque(context).takeUnretainedValue()
                return guardian.allows(action, first, within: program) ? SQLITE_OK : SQLITE_DENY
            }, context)
    }
}

extension Database {
    /// Limits the connection to reading rows of plain tables.
    ///
    /// - Parameters:
    ///   - fileSize: The size of the file in bytes, which limits the work.
    ///   - allocatedSize: The bytes that the file has on the disk, which limit the size of values.
    func distrust(fileSize: Int64, allocatedSize: Int64) throws {
        let guardian = ReadGuard(fileSize: min(fileSize, allocatedSize))
        readGuard = guardian
        let result = guardian.apply(to: handle, allocatedSize: allocatedSize)
        guard result == SQLITE_OK else { throw DatabaseError(result, handle, sql: nil) }
        // Functions of the schema that are not harmless, and the computation of CHECK constraints.
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA ignore_check_constraints = ON")
        // A schema that cannot be read makes every statement fail.
        guard let statements = try? prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL") else { return }
        var trust = SchemaTrust()
        while (try? statements.step()) == true {
            if let sql = statements.text(0) { trust.add(sql) }
        }
        guardian.trust = trust
    }

    /// True if the connection has taken more steps than the file can need. It runs no further statements.
    var isExhausted: Bool { readGuard?.isExhausted == true }
}
