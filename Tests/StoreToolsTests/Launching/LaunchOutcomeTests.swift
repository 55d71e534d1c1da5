import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

/// What becomes of a store in each condition.
@Suite struct LaunchOutcomeTests {
    private enum Kind: Equatable {
        case ready, damaged, rescued, rescuedBefore
        case unavailable(StoreCondition)
    }

    private func kind(_ opening: StoreRescue.Opening) -> Kind {
        switch opening {
        case .ready: .ready
        case .unavailable(let condition): .unavailable(condition)
        case .rescued: .rescued
        case .rescuedBefore: .rescuedBefore
        case .damaged: .damaged
        }
    }

    private func outcome(_ url: URL, _ fallback: StoreRescue.Fallback = .report) throws -> Kind {
        kind(try StoreRescue.open(url, else: fallback, timeout: 0.2))
    }

    @Test func aStoreThatIsMissingEmptyOrHealthyIsReady() throws {
        let sample = try RescueSample()
        #expect(try outcome(sample.folder.file("Missing.sqlite"), .rescue) == .ready)
        let empty = sample.folder.file("Empty.sqlite")
        try Data().write(to: empty)
        #expect(try outcome(empty, .rescue) == .ready)
        let before = try LaunchSample.files(sample.folder.url)
        #expect(try outcome(sample.url, .rescue) == .ready)
        #expect(try LaunchSample.files(sample.folder.url) == before)
    }

    @Test func otherFilesAreUnavailable() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 5)
        let noise = Data((0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) })
        let files: [(Data, StoreCondition)] = [
            (Data("<?xml version=\"1.0\"?><a/>".utf8), .notSQLite(kind: "an XML file")),
            (Data("bplist00 something".utf8), .notSQLite(kind: "a binary property list")), (noise, .encrypted),
        ]
        for (bytes, condition) in files {
            let url = folder.file(UUID().uuidString)
            try bytes.write(to: url)
            #expect(try outcome(url, .rescue) == .unavailable(condition))
            #expect(try Data(contentsOf: url) == bytes)
        }
        let other = folder.file("other.sqlite")
        _ = try rescueShell("CREATE TABLE recipes (id INTEGER PRIMARY KEY, name TEXT)", other)
        #expect(try outcome(other, .rescue) == .unavailable(.notAStore))
        #expect(try outcome(folder.url, .rescue) == .unavailable(.notSQLite(kind: "a folder or device")))
    }

    @Test func newerFormatsAndLackingPermissionsAreUnavailable() throws {
        let sample = try RescueSample()
        try sample.shell("UPDATE Z_METADATA SET Z_VERSION = 2")
        #expect(try outcome(sample.url, .rescue) == .unavailable(.tooNew(version: 2)))
        let second = try RescueSample()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: second.url.path)
        let url = second.url
        let found = try withoutPrivileges { try outcome(url, .rescue) }
        #expect(found == .unavailable(.noPermission))
    }

    @Test(arguments: LaunchSample.Damage.allCases) func damageIsReportedAndRescued(_ damage: LaunchSample.Damage) throws
    {
        let sample = try LaunchSample(damage)
        guard case .damaged(let report) = try sample.open(else: .report) else {
            Issue.record("It is not damaged.")
            return
        }
        #expect(!report.isHealthy)
        let isUnchanged = try LaunchSample.files(sample.folder) == sample.files
        #expect(isUnchanged)
        guard case .rescued(let rescue, let oldFiles) = try sample.open() else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(rescue.url == sample.url)
        #expect(rescue.entities.first { $0.entity == "Book" }?.kept == 400)
        try sample.expectRescued(oldFiles)
        #expect(try outcome(sample.url, .rescue) == .ready)
    }

    @Test func aCopyCutShortAndADamagedLogAreDamage() throws {
        let cut = try RescueSample()
        let handle = try FileHandle(forUpdating: cut.url)
        try handle.truncate(atOffset: try handle.seekToEnd() - 100)
        try handle.close()
        #expect(try outcome(cut.url) == .damaged)
        #expect(try outcome(cut.url, .rescue) == .rescued)
        let logged = try RescueSample()
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: logged.url.path + "-wal"))
        #expect(try outcome(logged.url) == .damaged)
        #expect(try outcome(logged.url, .rescue) == .rescued)
        #expect(try outcome(logged.url, .rescue) == .ready)
    }

    @Test func aTornLogIsNoDamage() throws {
        let sample = try LaunchSample(.pageBesideLog)
        let log = URL(fileURLWithPath: sample.url.path + "-wal")
        let healthy = try RescueSample()
        try healthy.shell(".dbconfig no_ckpt_on_close on\nUPDATE ZTAG SET ZWORD = 'logged', Z_OPT = 2;")
        let own = URL(fileURLWithPath: healthy.url.path + "-wal")
        let bytes = try Data(contentsOf: own)
        try bytes.dropLast(100).write(to: own)
        #expect(try outcome(healthy.url, .rescue) == .ready)
        try Data(contentsOf: log).dropLast(100).write(to: log)
        #expect(try outcome(sample.url, .rescue) == .rescued)
    }

    @Test func aJournalOfAnInterruptedTransactionIsNoDamage() throws {
        let healthy = try RescueSample()
        try healthy.shell("PRAGMA journal_mode = DELETE")
        let before = try LaunchSample.content(healthy.url)
        try LaunchSample.interrupt(healthy.url)
        #expect(try outcome(healthy.url, .rescue) == .ready)
        #expect(try LaunchSample.content(healthy.url) == before)
        #expect(FileManager.default.fileExists(atPath: healthy.url.path + "-journal"))
    }

    /// A process that was killed while it created the store leaves one page and an empty log.
    @Test func aStoreThatWasBeingCreatedIsReady() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("New.sqlite")
        _ = try rescueShell(".dbconfig no_ckpt_on_close on\nPRAGMA journal_mode = WAL; PRAGMA user_version;", url)
        #expect(FileManager.default.fileExists(atPath: url.path))
        try Data().write(to: URL(fileURLWithPath: url.path + "-wal"))
        #expect(StoreCondition.of(url) == .logMissing)
        #expect(try outcome(url, .rescue) == .ready)
        let rollback = folder.file("Rollback.sqlite")
        _ = try rescueShell("CREATE TABLE a (b); DROP TABLE a;", rollback)
        #expect(try outcome(rollback, .rescue) == .ready)
    }

    @Test func aStoreWithAllItsContentInALostLogIsNotReplaced() throws {
        let sample = try RescueSample()
        let model = try Model(cacheContent: try #require(try RescueModels.cache(LibraryModel.make())))
        let lost = sample.folder.file("Lost.sqlite")
        _ = try rescueShell(
            ".dbconfig no_ckpt_on_close on\nPRAGMA journal_mode = WAL; CREATE TABLE Z_METADATA (Z_PLIST);", lost)
        try FileManager.default.removeItem(atPath: lost.path + "-wal")
        #expect(try outcome(lost) == .damaged)
        let error = #expect(throws: StoreToolError.self) {
            try StoreRescue.open(lost, else: .rescue, model: model)
        }
        #expect(error?.code == .nothingRescued && error?.advice?.contains("-wal") == true)
        #expect(try sample.folder.url.leftOvers(except: [sample.url, lost]) == ["Lost.sqlite-shm"])
    }

    @Test func anErrorAsksForTheCompleteCheck() throws {
        let sample = try RescueSample()
        let leaves = try sample.pages("ZBOOK")
        try sample.zero(leaves[2])
        #expect(try outcome(sample.url, .rescue) == .ready)
        let errors = [
            NSError(domain: "NSSQLiteErrorDomain", code: 11), NSError(domain: NSCocoaErrorDomain, code: 259),
            CocoaError(.fileReadCorruptFile) as NSError,
        ]
        for error in errors {
            guard case .damaged(let report) = try StoreRescue.open(sample.url, else: .report, after: error) else {
                Issue.record("\(error) does not ask for it")
                continue
            }
            #expect(report.findings.contains { $0.rule == .structure })
        }
        guard case .rescued(let report, _) = try StoreRescue.open(sample.url, else: .rescue, after: errors[0]) else {
            Issue.record("It is not rescued.")
            return
        }
        #expect(report.entities.first { $0.entity == "Book" }?.lost ?? 0 > 0)
        #expect(kind(try StoreRescue.open(sample.url, else: .rescue, after: errors[0])) == .ready)
    }

    @Test func progressCancels() throws {
        let sample = try LaunchSample()
        let error = #expect(throws: StoreToolError.self) {
            try StoreRescue.open(sample.url, else: .rescue) { _ in false }
        }
        #expect(error?.code == .cancelled)
        let isUnchanged = try LaunchSample.files(sample.folder) == sample.files
        #expect(isUnchanged)
        #expect(try sample.folder.leftOvers(except: [sample.url]) == [])
    }

    @Test func aModelOfAnotherVersionIsIgnored() throws {
        let library = try #require(try RescueModels.cache(LibraryModel.make()))
        let other = try Model(cacheContent: try #require(try RescueModels.cache(CheckedStore.model())))
        let healthy = try RescueSample()
        guard case .ready = try StoreRescue.open(healthy.url, else: .rescue, model: other) else {
            Issue.record("It is not ready.")
            return
        }
        let sample = try LaunchSample()
        guard case .rescued = try StoreRescue.open(sample.url, else: .rescue, model: other) else {
            Issue.record("It is not rescued.")
            return
        }
        let lost = try LaunchSample()
        let own = try Model(cacheContent: library)
        guard
            case .rescued = try StoreRescue.open(
                lost.url, else: .rescue, model: own, after: CocoaError(.fileReadCorruptFile))
        else {
            Issue.record("It is not rescued.")
            return
        }
    }
}

extension URL {
    /// The names in a folder besides those of some files.
    func leftOvers(except files: [URL]) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { name in !files.contains { $0.lastPathComponent == name } }.sorted()
    }
}
