import Foundation
import ModelFormat
import Testing

/// Damaged files give errors; that the process lives on to report is the test.
@Suite("Damaged models")
struct HostileInputTests {
    private static let archive = try! ArchiveTests.everything.archive()

    @Test("cut off anywhere are refused")
    func truncated() {
        for length in stride(from: 0, to: Self.archive.count, by: 13) {
            #expect(throws: ModelFormatError.self) { try Model(archive: Self.archive.prefix(length)) }
        }
    }

    @Test("with bytes changed give a model or an error")
    func changedBytes() {
        var state: UInt64 = 42
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var readable = 0
        for _ in 0..<300 {
            var data = Self.archive
            for _ in 0...random(4) { data[data.startIndex + random(data.count)] = UInt8(random(256)) }
            if let model = try? Model(archive: data) {
                readable += 1
                _ = try? model.versionHashes()
                _ = model.problems()
            }
        }
        #expect(readable < 300)
    }
}
