@testable import CoreData
import CoreDataTestSupport
import Testing

@Suite("Recordings as text")
struct RecordingDescriptionTests {
    @Test func tablesAreAligned() {
        var sample = RecordingSample.library()
        sample.droppedEvents = 2
        #expect(
            sample.recording.description == """
                Recording: 7 events, 10.000 ms, 4 queries, 7 statements, 15 rows
                2 events dropped: over the limit of the recording, and part of the totals only.

                kind               count  objects  rows  statements  total ms  mean ms  max ms
                fetch                  2        3     3           1     2.400    1.200   2.000
                fault                  1       12     0           0     0.000    0.000   0.000
                relationshipFault      3       12    12           3     1.500    0.500   0.500
                save                   1        3     0           3     3.000    3.000   3.000

                costliest                       count  total ms
                save                                1     3.000
                fetch Author where name != ?        1     2.000
                relationshipFault Author.books      3     1.500
                fetch Tag where word == ?           1     0.400
                fault Book                          1     0.000

                cache: 12 hits, 3 misses, 80.0 % from memory
                saves: 1, 2 inserted, 1 updated, 0 deleted
                findings: 1
                  Inbox.swift:42: 3 queries for Author.books, one for each object.
                    Set relationshipKeyPathsForPrefetching = ["books"] on the fetch.
                """)
    }

    @Test func anEmptyRecordingHasNoTables() {
        var sample = RecordingSample()
        sample.end = RecordingSample.start + 1_500
        #expect(
            sample.recording.description == """
                Recording: 0 events, 0.002 ms, 0 queries, 0 statements, 0 rows

                cache: 0 hits, 0 misses
                saves: 0, 0 inserted, 0 updated, 0 deleted
                findings: none
                """)
    }

    @Test func onlyTheTenCostliestGroupsAreListed() {
        var sample = RecordingSample()
        for number in 1...12 {
            sample.add(.fetch, at: number * 100, for: number) { $0.entity = "Entity\(number)" }
        }
        let lines = sample.recording.description.split(separator: "\n").filter { $0.hasPrefix("fetch Entity") }
        #expect(lines.count == 10 && lines.first?.hasPrefix("fetch Entity12 ") == true)
        #expect(lines.last?.hasPrefix("fetch Entity3 ") == true)
    }

    /// On the left the texts that `NSPredicate` prints.
    @Test(arguments: [
        (#"name == "Ada""#, "name == ?"), (#"name == "a \"quoted\" 1" AND age > 12"#, "name == ? AND age > ?"),
        ("price < -1.5e-3", "price < ?"), ("pages - 2 > 0", "pages - ? > ?"), ("a IN {1, 2, 3}", "a IN {?}"),
        ("a IN {}", "a IN {}"), (#"b IN {"x"}"#, "b IN {?}"), ("a IN {x, 1}", "a IN {x, ?}"),
        ("address2 == 3", "address2 == ?"), (#"date > CAST(76.5, "NSDate")"#, "date > CAST(?, ?)"),
        ("größe == 2", "größe == ?"), (#"open == "never closed"#, "open == ?"), ("", ""),
    ])
    func shapesLeaveValuesOut(_ predicate: String, _ shape: String) {
        #expect(PredicateShape.of(predicate) == shape)
    }
}
