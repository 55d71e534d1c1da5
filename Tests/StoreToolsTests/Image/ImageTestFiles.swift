import CCoreDataSQLite
import CoreDataStoreFiles
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// Databases with the system tables of a store, written by SQLite itself, in a temporary folder.
final class ImageTestFiles {
    let folder: TemporaryFolder
    let url: URL

    init(_ name: String = "Store.sqlite") throws {
        folder = try TemporaryFolder()
        url = folder.file(name)
    }

    var path: String { url.path }

    /// A connection that may write. Files beside the store stay as they are until it is closed.
    func connection() throws -> Database {
        let database = try Database(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        _ = try database.text("PRAGMA wal_autocheckpoint = 0")
        return database
    }

    /// Writes a store with rows. Returns the connection; as long as it is open, the rows may be in the log.
    @discardableResult
    func write(rows: Int = 100, journal: String = "WAL", pragma: String = "synchronous = 0") throws -> Database {
        let database = try connection()
        try database.execute("PRAGMA \(pragma)")
        _ = try database.text("PRAGMA journal_mode = \(journal)")
        try database.execute("BEGIN")
        try database.execute(
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
        try database.execute("INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', x'62')")
        try database.execute(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
        try database.execute("INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, \(rows))")
        try database.execute(
            "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)")
        try Self.insert(rows, into: database)
        try database.execute("COMMIT")
        return database
    }

    static func insert(_ count: Int, into database: Database) throws {
        try database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
                + "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZNAME) SELECT 1, 1, printf('Person %d %.*c', i, 80, 'x') FROM n")
    }

    /// A copy of the files beside each other, in another folder. SQLite's locks are not affected.
    func copy(_ suffixes: [String] = ["", "-wal"]) throws -> ImageTestFiles {
        let copy = try ImageTestFiles(url.lastPathComponent)
        for suffix in suffixes where FileManager.default.fileExists(atPath: path + suffix) {
            _ = try imageTestRun("/bin/cp", [path + suffix, copy.path + suffix])
        }
        return copy
    }

    /// The names and bytes of all files in the folder. Another process reads them, which keeps SQLite's locks.
    func contents() throws -> [String: Data] {
        let copies = try TemporaryFolder()
        _ = try imageTestRun("/bin/cp", ["-r", folder.url.path + "/.", copies.url.path])
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: copies.url.path) {
            contents[name] = try Data(contentsOf: copies.file(name))
        }
        return contents
    }

    func bytes(_ suffix: String = "") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + suffix)))
    }

    func replace(_ bytes: some Sequence<UInt8>) throws { try replace("", bytes) }

    func replace(_ suffix: String, _ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
    }

    /// The answer of the sqlite3 shell, which may change files.
    func shell(_ sql: String) throws -> String { try imageTestRun("/usr/bin/sqlite3", ["-batch", path, sql]) }

    static let hasShell = FileManager.default.fileExists(atPath: "/usr/bin/sqlite3")
    static let hasPython = FileManager.default.fileExists(atPath: "/usr/bin/python3")
}

/// Runs a program and returns what it writes.
func imageTestRun(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process(), pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = imageTestBytes(pipe, untilLineEnd: false)
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

/// Reads a pipe to its end or to the end of a line. Signals of ending processes interrupt `FileHandle`.
private func imageTestBytes(_ pipe: Pipe, untilLineEnd: Bool) -> [UInt8] {
    var bytes: [UInt8] = [], byte: UInt8 = 0
    while !untilLineEnd || bytes.last != 10 {
        let count = read(pipe.fileHandleForReading.fileDescriptor, &byte, 1)
        if count == 1 {
            bytes.append(byte)
        } else if count == 0 || errno != EINTR {
            break
        }
    }
    return bytes
}

/// Another process with a connection to a store: python3 runs statements, and keeps the connection open.
final class ImageTestHolder {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    var identifier: Int32 { process.processIdentifier }

    init(_ path: String, _ statements: [String], arguments: String = "isolation_level=None") throws {
        let script = """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], \(arguments))
            kept = [c.execute(s) for s in sys.argv[2:]]
            print("ready", flush=True)
            for line in sys.stdin:
                c.execute(line.strip()).fetchall()
                print("done", flush=True)
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, path] + statements
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = imageTestBytes(output, untilLineEnd: true)
        #expect(String(decoding: line, as: UTF8.self) == "ready\n")
    }

    func run(_ statement: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((statement + "\n").utf8))
        _ = imageTestBytes(output, untilLineEnd: true)
    }

    /// Ends the process without closing the connection.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { if process.isRunning { kill() } }
}
