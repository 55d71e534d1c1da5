import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// A store of the library model that is damaged such that a rescue loses nothing, in a folder that goes with the
/// object.
final class LaunchSample {
    /// The kinds of damage.
    enum Damage: String, CaseIterable, Sendable {
        /// The root page of a table is lost.
        case page
        /// The same, beside a log with committed changes.
        case pageBesideLog
        /// The same, beside a rollback journal of an interrupted transaction.
        case pageBesideJournal
        /// The header is lost.
        case header
        /// The log is that of another store.
        case foreignLog
    }

    let sample: RescueSample
    var url: URL { sample.url }
    var folder: URL { sample.folder.url }
    /// All rows that the rescued store must have.
    let content: [String]
    /// The bytes of the store's files before the rescue, by name.
    let files: [String: Data]

    init(_ damage: Damage = .page) throws {
        let sample = try RescueSample()
        self.sample = sample
        var root = 0
        switch damage {
        case .page, .header, .foreignLog: break
        case .pageBesideLog:
            try sample.shell(
                """
                .dbconfig no_ckpt_on_close on
                UPDATE ZTAG SET ZWORD = 'logged ' || Z_PK, Z_OPT = 2;
                """)
        case .pageBesideJournal:
            try sample.shell("PRAGMA journal_mode = DELETE")
        }
        content = try Self.content(sample.url)
        root = try #require(try Self.onCopy(sample.url) { try Self.root("ZBOOK", $0) })
        switch damage {
        case .page, .pageBesideLog: try sample.zero(root)
        case .pageBesideJournal:
            try sample.zero(root)
            try Self.interrupt(sample.url)
            let journal = try Data(contentsOf: URL(fileURLWithPath: sample.url.path + "-journal"))
            try #require(journal.prefix(4) == Data([0xd9, 0xd5, 0x05, 0xf9]))
        case .header: try sample.patch(at: 0, Data(repeating: 0x55, count: 100))
        case .foreignLog:
            let other = try RescueSample()
            try other.shell(
                """
                .dbconfig no_ckpt_on_close on
                UPDATE Z_METADATA SET Z_UUID = '11111111-2222-3333-4444-555555555555';
                """)
            try FileManager.default.copyItem(atPath: other.url.path + "-wal", toPath: sample.url.path + "-wal")
        }
        files = try Self.files(sample.folder.url)
    }

    /// Leaves a rollback journal: the shell is killed while it holds a transaction whose pages are in the file already.
    static func interrupt(_ url: URL) throws {
        _ = try? imageTestRun(
            "/bin/sh",
            [
                "-c",
                "(echo 'PRAGMA cache_size = 5; BEGIN; UPDATE ZTAG SET ZWORD = ZWORD || zeroblob(9000);"
                    + " UPDATE ZAUTHOR SET ZNAME = ZNAME || zeroblob(9000);'; sleep 0.2; echo '.shell kill -9 $PPID') "
                    + "| sqlite3 '\(url.path)'",
            ])
    }

    func open(
        else fallback: StoreRescue.Fallback = .rescue, after error: (any Error)? = nil,
        step: @escaping (LaunchStep) throws -> Void = { _ in }
    ) throws -> StoreRescue.Opening {
        try StoreRescue.open(url, else: fallback, after: error, timeout: 0.3, step: step)
    }

    /// The folders of old files.
    var oldFolders: [URL] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasPrefix(url.lastPathComponent + ".damaged-") }.map { folder.appendingPathComponent($0) }
        }
    }

    /// Checks that the store has all rows, that the old files are kept once, and that nothing else is left.
    func expectRescued(_ oldFiles: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let now = try Self.content(url)
        let isComplete = now == content
        #expect(isComplete, "Rows differ.", sourceLocation: sourceLocation)
        let folders = try oldFolders
        #expect(folders.map(\.lastPathComponent) == [oldFiles.lastPathComponent], sourceLocation: sourceLocation)
        let kept = try Self.files(oldFiles)
        // A reader of a store without a log leaves an empty one.
        let areKept = kept.filter { files[$0.key] != nil || !$0.value.isEmpty } == files
        #expect(areKept, "The old files differ.", sourceLocation: sourceLocation)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == [url.lastPathComponent, oldFiles.lastPathComponent], sourceLocation: sourceLocation)
    }

    /// The files of a folder, with their bytes. The index of a log is left out: reading changes it.
    static func files(_ folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            let url = folder.appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            files[name] = try Data(contentsOf: url)
        }
        return files
    }

    /// All rows of all tables, as the sqlite3 shell reads them from a copy of the files.
    static func content(_ url: URL) throws -> [String] {
        try onCopy(url) { copy in
            try rescueShell(".dump", copy).split(separator: "\n").filter { $0.hasPrefix("INSERT INTO") }
                .map(String.init).sorted()
        }
    }

    static func onCopy<Result>(_ url: URL, _ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        let copy = folder.file(url.lastPathComponent)
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        return try withExtendedLifetime(folder) { try body(copy) }
    }

    private static func root(_ table: String, _ file: URL) throws -> Int? {
        Int(try rescueShell("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", file).dropLast())
    }
}
