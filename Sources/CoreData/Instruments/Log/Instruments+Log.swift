import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

extension Instruments {
    private static let current = Locked<SQLLog?>(nil)

    /// Writes the operations of Core Data in the format of Apple's log: `CoreData: sql: SELECT …`.
    ///
    /// Apple's launch argument `-com.apple.CoreData.SQLDebug 1` does the same, and so does the environment variable
    /// `COREDATA_SQL_DEBUG=1`. From level 2 on, lines contain values of the program's objects, with line breaks and other
    /// control characters escaped: `\n`, `\u{1B}`.
    ///
    /// - Parameters:
    ///   - level: The level of detail. ``LogLevel/off`` ends the log.
    ///   - write: Receives each line, without a line break, on the thread of the operation. It must not use Core Data. By
    ///     default lines are written to standard error.
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

/// Writes lines to standard error.
enum StandardError {
    @Sendable
    static func write(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
                // Closed or full: there is nowhere to report that.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
