#if !canImport(Darwin)
import Foundation

/// The texts for PostgreSQL that tests have seen. Where `POSTGRESQL_TEXTS` names a file they are written there, one a line,
/// for `.ci/postgresql-grammar` to have them parsed.
package enum PostgreSQLTexts {
    private static let lock = NSLock()
    private static let file: FileHandle? = {
        guard let path = ProcessInfo.processInfo.environment["POSTGRESQL_TEXTS"] else { return nil }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }()

    /// The same text, written down.
    package static func noted(_ text: String) -> String {
        lock.withLock { file?.write(Data("\(text)\n".utf8)) }
        return text
    }
}
#endif
