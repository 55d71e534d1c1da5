import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

@testable import StoreTools

/// Numbers in hostile files that are far beyond what the files contain.
@Suite("Sizes in hostile files") struct HostileSizeTests {
    private static func store(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> (TemporaryFolder, URL) {
        let folder = try TemporaryFolder()
        let url = folder.file(HostileShape.fileName)
        var bytes = try HostileShape.make("plain").files[HostileShape.fileName] ?? []
        change(&bytes)
        try Data(bytes).write(to: url)
        return (folder, url)
    }

    @Test func aFileOfHolesIsNotReadPageByPage() throws {
        let (folder, url) = try Self.store { bytes in
            let count = UInt32((1 << 40) / 4096)
            bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: count.bigEndian) { Array($0) })
            bytes.replaceSubrange(92..<96, with: bytes[24..<28])
        }
        truncate(url.path, 1 << 40)
        let start = Date()
        let error = #expect(throws: StoreToolError.self) {
            try StoreRescue(url).write(to: folder.file("New.sqlite"))
        }
        #expect(error?.code == .failed)
        let report = try StoreCheck(url).run()
        #expect(!report.isHealthy)
        #expect(try OpenStore(url).query(entity: "Person").count() == 60)
        #expect(-start.timeIntervalSinceNow < 10)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [HostileShape.fileName])
    }

    @Test func pagesOfALogTakeMemoryByTheirNumberAlone() {
        var places = PagePlaces<UInt32>()
        for page in [1, 70_000, 1 << 31, 0xffff_fffe] { places.set(UInt32(page & 0xffff) + 1, of: page) }
        #expect(places[1] == 2)
        #expect(places[1 << 31] == 1)
        #expect(places[0xffff_fffe] == 0xffff)
        #expect([0, 2, 70_001, 1 << 40, -1].allSatisfy { places[$0] == 0 })
        #expect(places.highestPage == 0xffff_fffe)
        #expect(places.pages.sorted() == [1, 70_000, 1 << 31, 0xffff_fffe])
    }

    @Test func aSmallModelThatExpandsToMegabytesIsRefused() {
        let bomb = HostileDeflate.bomb(megabytes: 70)
        #expect(bomb.count < 500_000)
        #expect(throws: ModelFormatError.self) { try Model(cacheContent: Data(bomb)) }
    }

    @Test func aTableWithGeneratedColumnsIsNotQueried() throws {
        let (folder, url) = try Self.store()
        do {
            let sql = try HostileSQL(url)
            try sql.run(
                """
                PRAGMA writable_schema = ON; UPDATE sqlite_schema
                SET sql = replace(sql, 'ZAGE INTEGER', 'ZAGE INTEGER AS (hex(zeroblob(400000000)))') WHERE name = 'ZPERSON'
                """)
        }
        #expect(throws: StoreToolError.self) { try OpenStore(url) }
        let report = try StoreCheck(url).run()
        #expect(!report.isHealthy)
        _ = try StoreRescue(url).write(to: folder.file("New.sqlite"))
        #expect(try StoreCheck(folder.file("New.sqlite")).run().findings == [])
    }
}
