import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What looks like damage and is none: a check tells each case apart, has no finding, and changes no file.
@Suite("Conditions that are no damage") struct DamageFalseAlarmTests {
    /// Checks files in a folder of their own.
    private func condition(
        _ files: DamageFiles, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoreCondition {
        let (report, after) = try DamageChecks.check(files)
        #expect(report.findings.map(\.description) == [], sourceLocation: sourceLocation)
        #expect(after == files.files, "The check changed the folder.", sourceLocation: sourceLocation)
        return report.condition
    }

    private func condition(
        of main: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoreCondition {
        var files = DamageFiles()
        files.main = main
        return try condition(files, sourceLocation: sourceLocation)
    }

    private let store = Result { try DamageStore.of(.unique) }
    private let logged = Result { try DamageStore.of(DamageShape.named("many-to-many-log") ?? .manyToMany) }

    // MARK: The log

    @Test func aLostLogIsToldApart() throws {
        var files = try logged.get().files
        #expect(try condition(files) == .readable)
        files.log = nil
        #expect(try condition(files) == .logMissing)
    }

    @Test func aLogThatIsGoneAfterACheckpointIsNoLoss() throws {
        var files = try store.get().files
        files.log = nil
        #expect(try condition(files) == .readable)
    }

    @Test func theLogOfAnotherStoreIsToldApart() throws {
        var files = try store.get().files
        files.log = try logged.get().files.log
        #expect(try condition(files) == .logOfAnotherStore)
    }

    @Test func anUnreadableLogIsToldApart() throws {
        let folder = try TemporaryFolder()
        let url = try logged.get().files.write(to: folder.url)
        #expect(chmod(url.path + "-wal", 0) == 0)
        let report = try withoutPrivileges { try StoreCheck(url).run() }
        #expect(report.condition == .noPermission)
        #expect(report.findings.isEmpty)
    }

    // MARK: Others that have the store open

    /// A process of the sqlite3 shell that has run statements on a store, and keeps it open until the object goes.
    private final class Holder {
        private let process = Process()
        private let input = Pipe()

        init(_ url: URL, _ statements: String) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: DamageRecovery.shell)
            process.arguments = [url.path]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try output.fileHandleForWriting.close()
            input.fileHandleForWriting.write(Data("\(statements)\n.shell echo ready\n".utf8))
            var text = ""
            while !text.contains("ready") {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                text += String(decoding: data, as: UTF8.self)
            }
        }

        deinit {
            // The threads of tests block other signals, and so do the processes that they start.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func condition(while statements: String, in files: DamageFiles) throws -> StoreCheck.Report {
        let folder = try TemporaryFolder()
        let url = try files.write(to: folder.url)
        let holder = try Holder(url, statements)
        defer { withExtendedLifetime(holder) {} }
        return try StoreCheck(url).run()
    }

    @Test(.enabled(if: DamageRecovery.isPossible)) func aStoreThatAnotherProcessReadsIsInUse() throws {
        let report = try condition(while: "BEGIN; SELECT count(*) FROM ZACCOUNT;", in: store.get().files)
        #expect(report.condition == .inUse)
        #expect(report.findings.map(\.description) == [])
    }

    @Test(.enabled(if: DamageRecovery.isPossible)) func aStoreThatAnotherProcessWritesIsInUse() throws {
        let report = try condition(
            while: "BEGIN IMMEDIATE; UPDATE ZACCOUNT SET ZMAIL = NULL;", in: store.get().files)
        #expect(report.condition == .inUse)
        // What is not committed is not looked at.
        #expect(report.findings.map(\.description) == [])
    }

    @Test(.enabled(if: DamageRecovery.isPossible)) func aLockedStoreIsToldApart() throws {
        let journal = try DamageStore.of(DamageShape.named("inheritance-journal") ?? .inheritance)
        let report = try condition(while: "BEGIN EXCLUSIVE;", in: journal.files)
        #expect(report.condition == .locked)
        #expect(report.findings.isEmpty)
        let exclusive = try condition(
            while: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE ZACCOUNT SET Z_OPT = 2; COMMIT;",
            in: store.get().files)
        #expect(exclusive.condition == .locked)
        #expect(exclusive.findings.isEmpty)
    }

    @Test(.enabled(if: DamageRecovery.isPossible)) func anInterruptedTransactionIsNoDamage() throws {
        // A journal that must be rolled back: its process was killed in a transaction that did not fit into its cache.
        let journal = try DamageStore.of(DamageShape.named("inheritance-journal") ?? .inheritance)
        let folder = try TemporaryFolder()
        let url = try journal.files.write(to: folder.url)
        var files = DamageFiles()
        do {
            let holder = try Holder(
                url,
                "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE ZPARTY SET ZNAME = ZNAME || 'x', ZNOTE = ZNAME;"
            )
            files = try DamageFiles(folder.url)
            withExtendedLifetime(holder) {}
        }
        try #require(files.files[DamageFiles.name + "-journal"]?.isEmpty == false)
        let (report, after) = try DamageChecks.check(files)
        #expect(report.findings.map(\.description) == [])
        #expect(after == files.files)
    }

    // MARK: Files

    @Test func anUnreadableFileIsToldApart() throws {
        let folder = try TemporaryFolder()
        let url = try store.get().files.write(to: folder.url)
        #expect(chmod(url.path, 0) == 0)
        let report = try withoutPrivileges { try StoreCheck(url).run() }
        #expect(report.condition == .noPermission)
        #expect(report.findings.isEmpty)
    }

    @Test func aFileThatEndsEarlyIsToldApart() throws {
        var files = try store.get().files
        let whole = files.main.count
        for count in [whole - 4096, whole / 2, whole - 1, 5000] {
            files.main = Array(try store.get().files.main.prefix(count))
            let (report, _) = try DamageChecks.check(files)
            #expect(report.condition == .cutShort(expectedBytes: Int64(whole), foundBytes: Int64(count)))
        }
    }

    @Test func otherFormatsAreToldApart() throws {
        let texts: [(bytes: [UInt8], word: String)] = [
            ([0x50, 0x4b, 3, 4] + Array(repeating: 7, count: 6000), "zip"),
            (Array("bplist00".utf8) + Array(repeating: 0, count: 500), "property list"),
            (Array("<?xml version=\"1.0\" standalone=\"yes\"?>\n<!DOCTYPE database SYSTEM \"file:\">\n".utf8), "XML"),
            (Array("Dear diary,\nnothing happened today.\n".utf8), "text"),
        ]
        for (bytes, word) in texts {
            guard case .notSQLite(let kind) = try condition(of: bytes) else {
                Issue.record("\(word): another condition")
                continue
            }
            #expect(kind?.lowercased().contains(word.lowercased()) == true, "\(kind ?? "nil") is not \(word)")
        }
    }

    @Test func anEncryptedFileIsToldApart() throws {
        var writer = DamageWriter(seed: 5)
        #expect(try condition(of: [UInt8](writer.data(40 * 4096))) == .encrypted)
    }

    @Test func anEmptyFileIsToldApart() throws { #expect(try condition(of: []) == .empty) }

    @Test func aMissingFileIsToldApart() throws {
        let folder = try TemporaryFolder()
        let report = try StoreCheck(folder.file("None.sqlite")).run()
        #expect(report.condition == .missing)
        #expect(report.findings.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func aNewerFormatIsToldApart() throws {
        var files = try store.get().files
        // The version that a reader must know: 1 is a rollback journal, 2 a log.
        files.main[19] = 3
        guard case .tooNew = try condition(files) else {
            Issue.record("A file format from the future is not told apart.")
            return
        }
    }

    @Test func aDatabaseThatIsNoStoreIsToldApart() throws {
        var files = DamageFiles()
        try files.change {
            try $0.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes VALUES (1, 'a')")
        }
        #expect(try condition(files) == .notAStore)
    }

    @Test func aFolderThatCannotBeWrittenIsEnough() throws {
        for store in [try store.get(), try logged.get()] {
            let folder = try TemporaryFolder()
            let url = try store.files.write(to: folder.url)
            #expect(chmod(folder.url.path, 0o555) == 0)
            defer { chmod(folder.url.path, 0o755) }
            let report = try withoutPrivileges { try StoreCheck(url).run() }
            #expect(report.condition == .readable)
            #expect(report.findings.map(\.description) == [])
        }
    }
}
