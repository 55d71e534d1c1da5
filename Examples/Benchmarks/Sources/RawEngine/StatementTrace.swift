import GRDBSQLite
import Synchronization
import Workloads

/// A counter of the statements that SQLite runs on all connections opened after ``start()``.
public enum StatementTrace {
    private static let number = Atomic<Int>(0)

    /// The number of statements run so far.
    public static var count: Int { number.load(ordering: .relaxed) }

    /// Installs a trace callback on all connections opened from now on.
    ///
    /// - Throws: ``BenchmarkError`` if SQLite refuses it.
    public static func start() throws {
        let opening:
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> Int32 = { database, _, _ in
                sqlite3_trace_v2(
                    database, UInt32(SQLITE_TRACE_STMT),
                    { _, _, _, text in
                        // SQLite reports trigger programs as SQL comments.
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
