import GRDBSQLite
import Synchronization
import Workloads

/// Counts the statements of all connections that are opened from now on, as SQLite does.
public enum StatementTrace {
    private static let number = Atomic<Int>(0)

    /// How many have run.
    public static var count: Int { number.load(ordering: .relaxed) }

    public static func start() throws {
        let opening:
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> Int32 = { database, _, _ in
                sqlite3_trace_v2(
                    database, UInt32(SQLITE_TRACE_STMT),
                    { _, _, _, text in
                        // The programs of triggers come as comments.
                        guard let text = text?.assumingMemoryBound(to: CChar.self), !(text[0] == 45 && text[1] == 45)
                        else {
                            return 0
                        }
                        StatementTrace.number.wrappingAdd(1, ordering: .relaxed)
                        return 0
                    }, nil)
            }
        let result = sqlite3_auto_extension(unsafeBitCast(opening, to: (@convention(c) () -> Void).self))
        guard result == SQLITE_OK else { throw BenchmarkError("SQLite takes no extension: \(result)") }
    }
}
