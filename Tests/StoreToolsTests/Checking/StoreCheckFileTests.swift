import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// Damage of pages and of files beside the store, conditions, and cancelling.
@Suite struct StoreCheckFileTests {
    private func external(_ store: CheckedStore) -> URL {
        store.folder.file(".Checked_SUPPORT").appendingPathComponent("_EXTERNAL_DATA")
    }

    @Test func aMissingFileOfAValueIsFound() throws {
        let store = try CheckedStore()
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: external(store).path).first)
        try FileManager.default.removeItem(at: external(store).appendingPathComponent(name))
        let finding = try #require(try store.findings().first)
        #expect(finding.rule == .missingFile)
        #expect(finding.entity == "Item")
        #expect(finding.property == "blob")
        #expect(finding.keys == [1])
        #expect(finding.cause == nil)
        try FileManager.default.removeItem(at: store.folder.file(".Checked_SUPPORT"))
        #expect(try store.findings().first?.cause?.contains("without its folder .Checked_SUPPORT") == true)
    }

    @Test func aFileToWhichNoRowRefersIsFound() throws {
        let store = try CheckedStore()
        let name = UUID().uuidString
        try Data([1]).write(to: external(store).appendingPathComponent(name))
        try Data([1]).write(to: external(store).appendingPathComponent("notes.txt"))
        let findings = try store.findings()
        #expect(findings.map(\.rule) == [.orphanedFile])
        #expect(findings.first?.message.contains(name) == true)
        #expect(findings.first?.count == 1)
    }

    @Test func filesOfASaveInProgressAreNoOrphans() throws {
        let store = try CheckedStore()
        try Data([1]).write(to: external(store).appendingPathComponent(UUID().uuidString))
        try store.write { context in
            _ = try context.fetchAll("Tag")
            #expect(try store.findings().map(\.rule) == [])
        }
    }

    /// Overwrites the root page of a table or index with zeros.
    private func zero(_ name: String, in store: CheckedStore, at offset: Int = 0, count: Int = 4096) throws {
        let root = try store.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'")
        try store.sql("SELECT 1")
        let handle = try FileHandle(forUpdating: store.url)
        try handle.seek(toOffset: UInt64(root - 1) * 4096 + UInt64(offset))
        try handle.write(contentsOf: Data(count: count))
        try handle.close()
    }

    @Test func aDamagedTableIsNamedAndTheOthersAreChecked() throws {
        let store = try CheckedStore()
        try store.sql("UPDATE ZTAG SET Z_ENT = 1 WHERE Z_PK = 2")
        try zero("ZITEM", in: store)
        let findings = try store.findings()
        let damage = findings.filter { $0.rule == .structure && $0.table == "ZITEM" && $0.remedy == .mendedWithLoss }
        #expect(damage.count == 1)
        #expect(findings.contains { $0.rule == .rowEntity && $0.table == "ZTAG" && $0.keys == [2] })
    }

    @Test func aDamagedIndexIsMendedWithoutLoss() throws {
        let store = try CheckedStore()
        try zero("ZITEM_ZOWNER_INDEX", in: store)
        let findings = try store.findings()
        #expect(findings.map(\.rule) == [.structure])
        #expect(findings.first?.table == "ZITEM")
        #expect(findings.first?.remedy == .mended)
        #expect(findings.first?.message.contains("ZITEM_ZOWNER_INDEX") == true)
    }

    @Test func anIndexThatLacksRowsIsFound() throws {
        let store = try CheckedStore()
        try store.sql(
            "PRAGMA writable_schema = 1",
            "UPDATE sqlite_master SET sql = replace(sql, 'ZITEM (ZOWNER)', 'ZITEM (ZFOLDER)') "
                + "WHERE name = 'ZITEM_ZOWNER_INDEX'")
        let finding = try #require(try store.findings().first)
        #expect(finding.rule == .structure)
        #expect(finding.remedy == .mended)
    }

    @Test func conditionsThatPreventReadingAreNoFindings() throws {
        let folder = try TemporaryFolder()
        let missing = try StoreCheck(folder.file("None.sqlite")).run()
        #expect(missing.condition == .missing)
        #expect(missing.findings.isEmpty)
        #expect(!missing.isHealthy)
        try Data("hello, this is no database".utf8).write(to: folder.file("Text.sqlite"))
        let text = try StoreCheck(folder.file("Text.sqlite")).run()
        guard case .notSQLite = text.condition else {
            Issue.record("\(text.condition)")
            return
        }
    }

    @Test func aCheckChangesNoByteAndCreatesNoFile() throws {
        let store = try CheckedStore()
        let before = try Data(contentsOf: store.url)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted()
        _ = try store.check()
        #expect(try Data(contentsOf: store.url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted() == names)
    }

    @Test func aCheckReportsProgressAndCanBeCancelled() throws {
        let store = try CheckedStore()
        let seen = ProgressLog()
        var check = StoreCheck(store.url)
        check.progress = { seen.add($0) }
        _ = try check.run()
        #expect(seen.phases.contains("Checking rows"))
        #expect(seen.isRising)
        check.progress = { $0.phase != "Checking rows" }
        let error = #expect(throws: StoreToolError.self) { try check.run() }
        #expect(error?.code == .cancelled)
    }

    @Test func aModelThatIsNotTheStoresIsAnError() throws {
        let store = try CheckedStore()
        var check = StoreCheck(store.url)
        check.model = .init(entities: [.init(name: "Other")])
        let error = #expect(throws: StoreToolError.self) { try check.run() }
        #expect(error?.code == .otherModel)
    }

    private final class ProgressLog: @unchecked Sendable {
        private(set) var phases: [String] = []
        private(set) var isRising = true
        private var last: StoreProgress?

        func add(_ progress: StoreProgress) -> Bool {
            if let last, last.phase == progress.phase, last.fraction > progress.fraction { isRising = false }
            if phases.last != progress.phase { phases.append(progress.phase) }
            last = progress
            return (0...1).contains(progress.fraction)
        }
    }
}
