@testable import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Recordings as JSON")
struct RecordingJSONTests {
    private func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func everyPropertyIsWritten() throws {
        var sample = RecordingSample.library()
        sample.droppedEvents = 4
        let recording = sample.recording
        let json = try object(recording.json())
        #expect(json["start"] as? Double == 5_000_000 && json["end"] as? Double == 5_010_000)
        #expect(json["duration"] as? Int == 10_000 && json["droppedEvents"] as? Int == 4)
        let totals = try #require(json["totals"] as? [String: Any])
        #expect(totals["events"] as? Int == 7 && totals["cacheHits"] as? Int == 12)
        #expect(totals["changes"] as? [String: Int] == ["inserted": 2, "updated": 1, "deleted": 0])
        let events = try #require(json["events"] as? [[String: Any]]), sql = try #require(json["sql"] as? [String])
        #expect(events.count == 7)
        let fetch = NSDictionary(dictionary: events[0])
        let expected: [String: Any] = [
            "id": 1, "kind": "fetch", "source": "store", "start": 100, "duration": 2000, "waiting": 250.5,
            "sqlDuration": 1000, "objects": 3, "rows": 3, "entity": "Author", "predicate": "name != \"</script>\"",
            "sortOrder": ["name descending"], "fetchLimit": 50, "statements": [["sql": 0, "count": 1]],
            "statementCount": 1, "queryPlan": ["SCAN t0"], "context": "inbox", "contextID": 7, "thread": "main",
            "store": "/tmp/Library.sqlite",
        ]
        #expect(fetch == NSDictionary(dictionary: expected))
        #expect(sql.count == 4 && sql[0] == recording.events[0].statements[0].sql)
        #expect(events[3]["statements"] as? [[String: Int]] == [["sql": 1, "count": 1]])
        #expect(events[5]["changes"] as? [String: Int] == ["inserted": 2, "updated": 1, "deleted": 0])
        #expect(events[6]["parentID"] as? Int == 6 && events[6]["failure"] as? String == "database is locked")
        let finding = try #require((json["findings"] as? [[String: Any]])?.first)
        #expect(finding["eventIDs"] as? [Int] == [2, 3, 4] && finding["duration"] as? Int == 1500)
        let place = try #require(finding["place"] as? [String: Any])
        #expect(NSDictionary(dictionary: place) == ["file": "/src/Inbox.swift", "line": 42, "function": "show()"])
    }

    @Test func recordedWorkNamesItsObjects() throws {
        let library = try Library(store: .sqlite), context = library.context, other = library.makeContext()
        try context.performAndWait {
            context.insert("Tag", ["word": "new"])
            try context.save()
        }
        let recording = try Instruments.record {
            try other.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.includesPropertyValues = false
                for tag in try other.fetch(request) { _ = tag.value(forKey: "word") }
            }
        }
        let events = try #require(try object(recording.json())["events"] as? [[String: Any]])
        let fault = try #require(recording.faults.first), written = events.first { $0["id"] as? Int == fault.id }
        #expect(written?["objectID"] as? String == fault.objectID?.uriRepresentation().absoluteString)
        #expect(written?["objectID"] != nil && written?["entity"] as? String == "Tag")
    }

    @Test(arguments: [
        "\"\\/\u{8}\u{9}\n\u{B}\u{C}\r\u{0}\u{1F}\u{7F}", "</script><!-- <b>&", "\u{2028}\u{2029}\u{2027}\u{202A}",
        "日本語 é e\u{301} 👩‍👩‍👧 \u{FFFF}", "",
    ])
    func textsAreEscaped(_ text: String) throws {
        var json = JSONWriter()
        json.array { $0.write(text) }
        let data = Data(json.bytes)
        // Compared by code units: strings are equal where they are equivalent only.
        let read = try #require(try JSONSerialization.jsonObject(with: data) as? [String])
        #expect(read.first.map { Array($0.utf16) } == Array(text.utf16))
        let written = String(decoding: data, as: UTF8.self)
        #expect(!written.contains("<") && !written.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" })
        #expect(written.utf8.allSatisfy { $0 >= 0x20 })
    }

    @Test func numbersAreExact() {
        var json = JSONWriter()
        json.array { json in
            for number in [0, 9, 10, -10, .max, .min] { json.write(number) }
            for time in [0, 1, 10, 100, 1000, 1001, -1_050, 9_007_199_254_740_993, .max, .min] as [Int64] {
                json.write(microseconds: time)
            }
        }
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == "[0,9,10,-10,9223372036854775807,-9223372036854775808,0,0.001,0.01,0.1,1,1.001,-1.05,"
                + "9007199254740.993,9223372036854775.807,-9223372036854775.808]")
    }

    @Test func operationsOfBeforeTheRecordingHaveNegativeStarts() throws {
        var sample = RecordingSample()
        sample.add(.merge, at: -5, for: 10)
        let events = try #require(try object(sample.recording.json())["events"] as? [[String: Any]])
        #expect(events[0]["start"] as? Int == -5)
    }
}

@Suite("Recordings as trace events")
struct TraceEventTests {
    /// The fields are those of the Trace Event Format: complete events, and metadata events that name threads.
    @Test func operationsAreCompleteEvents() throws {
        let data = RecordingSample.library().recording.traceEvents()
        let trace = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let events = try #require(trace["traceEvents"] as? [[String: Any]])
        #expect(trace["displayTimeUnit"] as? String == "ns")
        let names = events.filter { $0["ph"] as? String == "M" }
        #expect(names.map { $0["name"] as? String } == ["process_name", "thread_name"])
        #expect((names[1]["args"] as? [String: String]) == ["name": "main"])
        let complete = events.filter { $0["ph"] as? String == "X" }
        #expect(complete.count == 7 && names.count + complete.count == events.count)
        #expect(events.allSatisfy { ($0["pid"] as? Int ?? 0) > 0 && $0["tid"] as? Int == 1 })
        #expect(complete.map { $0["ts"] as? Int } == [100, 3000, 4000, 5000, 6000, 6500, 6600])
        #expect(complete[0]["dur"] as? Int == 2000 && complete[0]["cat"] as? String == "fetch")
        #expect(complete.prefix(2).map { $0["name"] as? String } == ["fetch Author", "relationshipFault Author.books"])
        let fetch = try #require(complete[0]["args"] as? [String: Any])
        #expect(fetch["entity"] as? String == "Author" && fetch["predicate"] as? String == "name != \"</script>\"")
        #expect(fetch["objects"] as? Int == 3 && fetch["rows"] as? Int == 3 && fetch["waiting"] as? Double == 250.5)
        #expect(fetch["context"] as? String == "inbox" && (fetch["sql"] as? [String])?.count == 1)
        let save = try #require(complete[5]["args"] as? [String: Any])
        #expect(save["sql"] as? [String] == ["BEGIN IMMEDIATE", "INSERT INTO ZBOOK VALUES(?1) (2 times)"])
        #expect(save["inserted"] as? Int == 2 && save["deleted"] == nil)
    }
}
