import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

extension Instruments {
    private static let current = Locked<SQLLog?>(nil)

    /// Writes what Core Data does in the lines that Apple's framework writes: `CoreData: sql: SELECT …`.
    ///
    /// Apple's launch argument `-com.apple.CoreData.SQLDebug 1` does the same, and so does the environment variable
    /// `COREDATA_SQL_DEBUG=1`. From level 2 on, lines hold values of the program's objects, with line breaks and other control
    /// characters escaped: `\n`, `\u{1B}`.
    ///
    /// - Parameters:
    ///   - level: how much is written. ``LogLevel/off`` ends it.
    ///   - write: receives each line, without a line break, on the thread that did the work. It must not use Core Data. Left
    ///     out, lines go to standard error.
    public static func log(_ level: LogLevel, to write: (@Sendable (String) -> Void)? = nil) {
        let new = level == .off ? nil : SQLLog(level, write ?? StandardError.write)
        let old = current.withLock { current in
            defer { current = new }
            return current
        }
        if let old { Probe.remove(old) }
        if let new { Probe.add(new) }
    }
}

/// Lines on standard error.
enum StandardError {
    @Sendable
    static func write(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
                // Closed or full: there is no other place to report that.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
