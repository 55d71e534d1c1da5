import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

@Suite struct RescueOfDamagedPagesTests {
    /// The rows of the original that the new store must have, and the others.
    private func books(_ sample: RescueSample, _ file: URL) throws -> Set<String> {
        Set(
            try sample.shell(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE, hex(ZISBN), ZPRICE, ZPUBLISHED, ZAUTHOR FROM ZBOOK",
                on: file
            ).split(separator: "\n").map(String.init))
    }

    @Test func rowsBesideAZeroedLeafAreKept() throws {
        let sample = try RescueSample()
        let leaves = try sample.pages("ZBOOK")
        #expect(leaves.count > 4)
        let before = try books(sample, sample.url)
        let count =
            Int(
                try sample.shell("SELECT ncell FROM dbstat WHERE pageno = \(leaves[2])").dropLast()) ?? 0
        try sample.zero(leaves[2])
        let report = try sample.rescue()
        let after = try books(sample, sample.rescued)
        #expect(after.isSubset(of: before))
        #expect(after.count == 400 - count)
        let result = try #require(report.entities.first { $0.entity == "Book" })
        #expect(result.kept == 400 - count && result.lost == count)
        #expect(report.unreadablePages == [leaves[2]])
        #expect(report.notes.contains { $0.isLoss })
        try sample.expectSound()
    }

    @Test func noRowIsLostWithAnInteriorPage() throws {
        let sample = try RescueSample()
        let before = try books(sample, sample.url)
        let roots = try sample.pages("ZBOOK", "internal")
        try sample.zero(roots[0])
        let report = try sample.rescue()
        let after = try books(sample, sample.rescued)
        #expect(after == before)
        #expect(report.entities.first { $0.entity == "Book" }?.lost == 0)
        #expect(
            try sample.shell("SELECT * FROM Z_3TAGS ORDER BY 1, 2", on: sample.rescued)
                == sample.shell("SELECT * FROM Z_3TAGS ORDER BY 1, 2"))
        try sample.expectSound()
    }

    @Test func aStoreWithoutItsFirstPageIsRescued() throws {
        let sample = try RescueSample()
        let before = try sample.content(sample.url)
        try sample.zero(1)
        let report = try sample.rescue()
        let after = try sample.content(sample.rescued)
        #expect(after == before, "\(report.notes.map(\.message))")
        try sample.expectSound()
    }

    @Test func aStoreWithoutItsSchemaIsRescued() throws {
        let sample = try RescueSample()
        let before = try sample.content(sample.url)
        let schema = try sample.pages("sqlite_schema")
        for page in schema where page != 1 { try sample.zero(page) }
        try sample.patch(at: 100, Data(count: 3996))
        let report = try sample.rescue()
        let after = try sample.content(sample.rescued)
        #expect(after == before, "\(report.notes.map { "\($0.message) \($0.count)" })")
        try sample.expectSound()
    }

    @Test func swappedLeavesOfOneTableLoseNothing() throws {
        let sample = try RescueSample()
        let before = try books(sample, sample.url)
        let leaves = try sample.pages("ZBOOK")
        let data = try Data(contentsOf: sample.url)
        let (a, b) = (leaves[1], leaves[4])
        try sample.patch(at: (a - 1) * 4096, data[((b - 1) * 4096)..<(b * 4096)])
        try sample.patch(at: (b - 1) * 4096, data[((a - 1) * 4096)..<(a * 4096)])
        _ = try sample.rescue()
        let after = try books(sample, sample.rescued)
        #expect(after == before)
        try sample.expectSound()
    }

    @Test func swappedLeavesOfTwoTablesLoseNothing() throws {
        let sample = try RescueSample()
        let before = try sample.content(sample.url)
        let data = try Data(contentsOf: sample.url)
        let (a, b) = (try sample.pages("ZBOOK")[3], try sample.pages("ZAWARD")[0])
        try sample.patch(at: (a - 1) * 4096, data[((b - 1) * 4096)..<(b * 4096)])
        try sample.patch(at: (b - 1) * 4096, data[((a - 1) * 4096)..<(a * 4096)])
        let report = try sample.rescue()
        let after = try sample.content(sample.rescued)
        #expect(after == before, "\(report.notes.map { "\($0.message) \($0.count)" })")
        try sample.expectSound()
    }

    @Test func aFileThatWasCutKeepsItsFirstPages() throws {
        let sample = try RescueSample()
        let before = try books(sample, sample.url)
        let leaves = try sample.pages("ZBOOK")
        let handle = try FileHandle(forUpdating: sample.url)
        let end = leaves.sorted()[leaves.count / 2]
        try handle.truncate(atOffset: UInt64(end * 4096))
        try handle.close()
        let report = try sample.rescue()
        let after = try books(sample, sample.rescued)
        #expect(after.count > 100 && after.isSubset(of: before.union(after)))
        #expect(report.notes.contains { $0.isLoss }, "\(report) \(after.count)")
        try sample.expectSound()
    }

    @Test func deletedRowsStayDeletedUnlessAskedFor() throws {
        let sample = try RescueSample()
        try sample.shell("PRAGMA secure_delete = 0; DELETE FROM ZBOOK WHERE Z_PK > 200; DELETE FROM Z_3TAGS;")
        let report = try sample.rescue()
        #expect(report.entities.first { $0.entity == "Book" }?.kept == 200)
        #expect(report.deletedRows > 0)
        try sample.expectSound()
        let second = sample.folder.file("Second.sqlite")
        var rescue = StoreRescue(sample.url)
        rescue.restoresDeletedRows = true
        let restored = try rescue.write(to: second)
        #expect(try #require(restored.entities.first { $0.entity == "Book" }).kept >= 200 + report.deletedRows)
        try sample.expectSound(second)
    }

    @Test func deletedRowsStayDeletedBesideDamage() throws {
        let sample = try RescueSample()
        try sample.shell("DELETE FROM ZBOOK WHERE Z_PK > 200; UPDATE ZBOOK SET ZSHELF = NULL;")
        let leaves = try sample.pages("ZBOOK")
        try sample.zero(leaves[1])
        _ = try sample.rescue()
        let keys = try sample.shell("SELECT MAX(Z_PK) FROM ZBOOK", on: sample.rescued)
        #expect(keys == "200\n")
        try sample.expectSound()
    }

    @Test func aModelMustBeKnown() throws {
        let sample = try RescueSample()
        try sample.shell("DELETE FROM Z_MODELCACHE; VACUUM;")
        let error = #expect(throws: StoreToolError.self) { _ = try sample.rescue() }
        #expect(error?.code == .noModel && error?.advice != nil)
        let cache = try RescueModels.cache(LibraryModel.make())
        let other = try Model(cacheContent: try #require(cache))
        _ = try sample.rescue { $0.model = other }
        try sample.expectSound()
    }

    @Test func lostMetadataAreMadeAgain() throws {
        let sample = try RescueSample()
        let uuid = try sample.shell("SELECT Z_UUID FROM Z_METADATA")
        try sample.shell("UPDATE Z_METADATA SET Z_PLIST = X'00112233'")
        let report = try sample.rescue()
        #expect(report.notes.contains { $0.message.contains("metadata") && $0.isLoss })
        #expect(try sample.shell("SELECT Z_UUID FROM Z_METADATA", on: sample.rescued) == uuid)
        try sample.expectSound()
    }
}

/// Models as stores keep them.
enum RescueModels {
    static func cache(_ model: NSManagedObjectModel) throws -> Data? {
        let folder = try TemporaryFolder()
        let store = try PreparedStore(model) { _ in }
        let file = folder.file("Model.sqlite")
        try store.write(to: file)
        let text = try rescueShell("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE", file).dropLast()
        var bytes = Data()
        var rest = text[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
