import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreDataTimeline

@Suite("Data of timelines")
struct TimelineDataTests {
    /// The data of a page.
    private func data(_ page: String) throws -> [String: Any] {
        let start = try #require(page.range(of: #"<script type="application/json" id="data">"#)).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
        return try #require(try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8)) as? [String: Any])
    }

    private func column(_ data: [String: Any], _ name: String) throws -> [Int] {
        let columns = try #require(data["columns"] as? [String: Any]), count = try #require(data["count"] as? Int)
        if let values = columns[name] as? [Int] { return values }
        let sparse = try #require(columns[name] as? [String: [Int]]), values = try #require(sparse["values"])
        var column = [Int](repeating: 0, count: count), index = 0
        for (step, value) in zip(try #require(sparse["at"]), values) {
            index += step
            column[index] = value
        }
        return column
    }

    @Test func columnsHoldEveryEvent() throws {
        let recording = RecordingSample.library().recording, data = try data(recording.timeline())
        #expect(data["count"] as? Int == 7 && data["duration"] as? Int == 10_000_000)
        let texts = try #require(data["texts"] as? [String]), lists = try #require(data["lists"] as? [[Int]])
        func sums(_ differences: [Int]) -> [Int] {
            var sum = 0
            return differences.map {
                sum += $0
                return sum
            }
        }
        #expect(try sums(column(data, "start")).map { UInt64($0) + recording.start } == recording.events.map(\.start))
        #expect(try sums(column(data, "id")) == recording.events.map(\.id))
        #expect(try column(data, "duration").map { Duration.nanoseconds($0) } == recording.events.map(\.duration))
        #expect(try column(data, "parent") == [0, 0, 0, 0, 0, 0, 6])
        #expect(try column(data, "source") == [0, 0, 0, 0, 1, 0, 0])
        #expect(try column(data, "objects") == recording.events.map(\.objects))
        let predicates = try column(data, "predicate").map { $0 == 0 ? nil : texts[$0 - 1] }
        #expect(predicates == recording.events.map(\.predicate))
        let statements = try lists[column(data, "statements")[5] - 1]
        #expect(
            statements.count == 4 && texts[statements[2] - 1] == "INSERT INTO ZBOOK VALUES(?1)" && statements[3] == 2)
        let groups = try #require(data["groups"] as? [[String: Any]])
        #expect(
            try column(data, "group").map { groups[$0]["title"] as? String } == [
                "fetch Author where name != ?", "relationshipFault Author.books", "relationshipFault Author.books",
                "relationshipFault Author.books", "fault Book", "save", "fetch Tag where word == ?",
            ])
    }

    @Test(arguments: [
        ("x-coredata://A/Book/p12", "x-coredata://A/Book/p", 12), ("p10", "p", 10), ("p", "p", 0), ("", "", 0),
        ("p007", "p007", 0), ("p0", "p0", 0), ("42", "", 42),
        // The last 15 digits are exact, and these begin with a zero.
        ("p1000000000000001", "p1000000000000001", 0), ("p1123456789012345", "p1", 123_456_789_012_345),
    ])
    func identifiersAreSplitSoThatTheyCanBeJoined(_ identifier: String, _ text: String, _ number: Int) {
        let split = TimelineData.split(identifier)
        #expect(split.text == text && split.number == number)
        #expect((split.text ?? "") + (split.number == 0 ? "" : String(split.number)) == identifier)
    }
}
