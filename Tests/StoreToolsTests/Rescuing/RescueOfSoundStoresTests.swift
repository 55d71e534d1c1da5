import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

@Suite struct RescueOfSoundStoresTests {
    @Test func aSoundStoreIsCopiedRowByRow() throws {
        let sample = try RescueSample()
        let before = try sample.content(sample.url)
        let report = try sample.rescue()
        let after = try sample.content(sample.rescued)
        #expect(after == before)
        #expect(report.notes.isEmpty, "\(report.notes.map(\.message))")
        #expect(report.unreadablePages.isEmpty)
        #expect(report.entities.first { $0.entity == "Book" }?.kept == 400)
        #expect(report.entities.allSatisfy { $0.lost == 0 && $0.mended == 0 })
        try sample.expectSound()
    }

    @Test func theFormOfTheFileIsThatOfStores() throws {
        let sample = try RescueSample()
        _ = try sample.rescue()
        let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
        #expect(try sample.shell(schema, on: sample.rescued) == sample.shell(schema))
        let header = try Data(contentsOf: sample.rescued).prefix(100)
        #expect(header[18] == 2 && header[19] == 2)
        #expect(try sample.shell("PRAGMA auto_vacuum; PRAGMA user_version;", on: sample.rescued) == "2\n0\n")
        let files = try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path)
        #expect(files.filter { $0.hasPrefix("Rescued") } == ["Rescued.sqlite"])
        #expect(!files.contains { $0.hasPrefix(".") })
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: RealStores.all)
    func aStoreOfApplesFrameworkIsCopiedRowByRow(_ real: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: real)
        defer { copy.remove() }
        let target = copy.url.deletingLastPathComponent().appendingPathComponent("Rescued.sqlite")
        var rescue = StoreRescue(copy.url)
        if real.isOld, let model = real.model {
            rescue.model = try Model(contentsOf: RealStores.folder.appendingPathComponent(model))
        }
        let report = try rescue.write(to: target)
        func rows(_ url: URL) throws -> [String] {
            try rescueShell(".dump", url).split(separator: "\n").filter { $0.hasPrefix("INSERT INTO") }
                .map(String.init).sorted()
        }
        let (before, after) = (try rows(copy.url), try rows(target))
        #expect(after == before, "\(report.notes.map(\.message))")
        #expect(report.notes.filter(\.isLoss).isEmpty, "\(report.notes.map(\.message))")
    }

    @Test func nothingIsReplacedAndNothingIsLeftBehind() throws {
        let sample = try RescueSample()
        try Data("x".utf8).write(to: sample.rescued)
        let error = #expect(throws: StoreToolError.self) { _ = try sample.rescue() }
        #expect(error?.code == .destination)
        try FileManager.default.removeItem(at: sample.rescued)
        let before = try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path).sorted()
        let cancelled = #expect(throws: StoreToolError.self) {
            _ = try sample.rescue { $0.progress = { $0.phase != "Mending" } }
        }
        #expect(cancelled?.code == .cancelled)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path).sorted() == before)
    }

    @Test func theOriginalIsNotChanged() throws {
        let sample = try RescueSample()
        let before = try Data(contentsOf: sample.url)
        _ = try sample.rescue()
        #expect(try Data(contentsOf: sample.url) == before)
    }
}
