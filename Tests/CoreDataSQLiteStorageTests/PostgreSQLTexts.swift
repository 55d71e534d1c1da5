import Foundation
import Synchronization

/// The texts for PostgreSQL that tests have seen. Where `POSTGRESQL_TEXTS` names a file they are written there, one a line,
/// for `.ci/postgresql-grammar` to have them parsed.
enum PostgreSQLTexts {
    private static let file: Mutex<FileHandle?> = {
        guard let path = ProcessInfo.processInfo.environment["POSTGRESQL_TEXTS"] else { return Mutex(nil) }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return Mutex(FileHandle(forWritingAtPath: path))
    }()

    /// The same text, written down.
    static func noted(_ text: String) -> String {
        file.withLock { $0?.write(Data("\(text)\n".utf8)) }
        return text
    }
}
