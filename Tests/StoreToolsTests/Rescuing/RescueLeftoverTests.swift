import CoreDataTestSupport
import Foundation
import Testing

@testable import StoreTools

/// The lines of the file of rows that a rescued store cannot hold.
@Suite("Leftovers of a rescue") struct RescueLeftoverTests {
    @Test func linesAreJSON() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("leftovers.ndjson")
        let leftovers = RescueLeftovers(url)
        let text =
            "\"quoted\" \\ / \n\r\t\u{1}\u{1f}\u{0} é 日本 \u{1F469}\u{200D}\u{1F680}"
            + String(repeating: "é", count: 300_001)
        let data = Data((0..<800_001).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try leftovers.add(
            entity: "E\"", table: nil, key: .min, reason: "a reason",
            values: [
                ("text", .text(text)), ("data", .blob(data)), ("empty", .blob(Data())), ("none", .null),
                ("real", .real(1e300)), ("odd", .real(.infinity)), ("number", .integer(.max)), ("blank", .text("")),
            ])
        try leftovers.add(entity: nil, table: "T", key: nil, reason: "", values: [])
        try leftovers.close()
        let lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 2)
        let first = try #require(JSONSerialization.jsonObject(with: Data(lines[0])) as? [String: Any])
        #expect(Set(first.keys) == ["entity", "key", "reason", "values"])
        #expect(first["entity"] as? String == "E\"")
        #expect((first["key"] as? NSNumber)?.int64Value == .min)
        let values = try #require(first["values"] as? [String: Any])
        #expect(Set(values.keys) == ["text", "data", "empty", "real", "odd", "number", "blank"])
        #expect(values["text"] as? String == text)
        let encoded = (values["data"] as? [String: String])?["base64"] ?? ""
        #expect(Data(base64Encoded: encoded) == data)
        #expect(values["empty"] as? [String: String] == ["base64": ""])
        #expect((values["real"] as? NSNumber)?.doubleValue == 1e300)
        #expect(values["odd"] as? String == "inf")
        #expect((values["number"] as? NSNumber)?.int64Value == .max)
        #expect(values["blank"] as? String == "")
        #expect(String(decoding: lines[1], as: UTF8.self) == "{\"reason\":\"\",\"table\":\"T\",\"values\":{}}")
    }
}
