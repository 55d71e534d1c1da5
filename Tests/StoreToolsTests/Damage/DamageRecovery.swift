import CoreDataTestSupport
import Foundation

/// What `.recover` of the sqlite3 shell finds in damaged files, of the rows that were there before.
struct DamageRecovery: Sendable {
    static let shell = "/usr/bin/sqlite3"
    static let isPossible = FileManager.default.isExecutableFile(atPath: shell) && extensionFile != nil

    /// The compiled extension of ``DamagePageTable``.
    private static let extensionFile: URL? = {
        guard let folder = try? TemporaryFolder.forTheWholeRun() else { return nil }
        let (source, library) = (folder.file("pages.c"), folder.file("pages.so"))
        guard (try? DamagePageTable.source.write(to: source, atomically: true, encoding: .utf8)) != nil else {
            return nil
        }
        for compiler in ["cc", "clang"] {
            let status = try? run("\(compiler) -shared -fPIC -O1 -o \"$0\" \"$1\"", library.path, source.path)
            if status == 0 { return library }
        }
        return nil
    }()

    /// Runs a script of the shell with arguments, and returns its exit code.
    private static func run(_ script: String, _ arguments: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The live rows that were found with all their values.
    private(set) var found: Set<DamageSnapshot.Key> = []
    /// The pairs that were found, by join table. Rows of lost join tables that could be of several tables are left out.
    private(set) var pairs: [String: Set<[Int64]>] = [:]

    init(_ files: DamageFiles, _ rows: DamageRows) throws {
        let folder = try TemporaryFolder()
        let damaged = try files.write(to: folder.url)
        let recovered = folder.file("recovered.db")
        // The extension reads the file alone.
        if files.log?.isEmpty == false, let sql = try? DamageSQL(damaged) {
            try? sql.run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        // In memory, without a journal: only the contents matter.
        _ = try Self.run(
            """
            { echo 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;'
            timeout 60 \(Self.shell) "$0" -cmd ".load $2 sqlite3_pages_init" .recover; } | \(Self.shell) "$1"
            """, damaged.path, recovered.path, Self.extensionFile?.path ?? "")
        guard FileManager.default.fileExists(atPath: recovered.path), let sql = try? DamageSQL(recovered) else {
            return
        }
        for table in try sql.texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            if table.hasPrefix("lost_and_found") {
                try sql.forEach("SELECT id, * FROM \"\(table)\"") { row in
                    // id, rootpgno, pgno, nfield, id, c0, …
                    add(row[0], row[5...], nil, rows)
                }
            } else if table.hasPrefix("Z") {
                try sql.forEach("SELECT rowid, * FROM \"\(table)\"") { add($0[0], $0[1...], table, rows) }
            }
        }
    }

    private mutating func add(_ key: String, _ values: ArraySlice<String>, _ table: String?, _ rows: DamageRows) {
        if let row = rows.row(key, values) {
            found.insert(row)
            return
        }
        var joins = rows.joins(values)
        if joins.count > 1, let table { joins = joins.filter { $0 == table } }
        guard joins.count == 1 else { return }
        pairs[joins[0], default: []].insert(values.prefix(2).map { Int64($0) ?? 0 })
    }
}
