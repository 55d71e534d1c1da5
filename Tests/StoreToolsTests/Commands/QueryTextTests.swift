import StoreToolCommands
import Testing

@Suite struct QueryTextTests {
    @Test func anEntityAloneIsAQuery() throws {
        let query = try QueryText("  Person ")
        #expect(query.entity == "Person")
        #expect(query.predicate == nil && query.sortKeys.isEmpty && query.limit == nil && query.columns == nil)
    }

    @Test func allClausesAreRead() throws {
        let query = try QueryText(
            "Person where age > 30 sort -lastUpdate, name limit 20 offset 5 show name, team.name, messages.@count")
        #expect(query.predicate == "age > 30")
        #expect(query.sortKeys.map(\.key) == ["lastUpdate", "name"])
        #expect(query.sortKeys.map(\.ascending) == [false, true])
        #expect(query.limit == 20)
        #expect(query.offset == 5)
        #expect(query.columns == ["name", "team.name", "messages.@count"])
    }

    @Test(arguments: [
        ("P where name == 'sort limit 3'", "name == 'sort limit 3'"),
        ("P where name == \"a \\\" sort b\" LIMIT 3", "name == \"a \\\" sort b\""),
        ("P where (a > 3 and show == 1) Sort b", "(a > 3 and show == 1)"),
        ("P where a IN { 'x', limit } sort b", "a IN { 'x', limit }"),
        ("P where limit > 3 limit 2", "limit > 3"),
        ("P where a == 1 AND sort LIKE[cd] 'x' limit 2", "a == 1 AND sort LIKE[cd] 'x'"),
        ("P where a == 1 OR show BETWEEN {1, 2}", "a == 1 OR show BETWEEN {1, 2}"),
        ("P where   a  ==  1   sort b", "a  ==  1"),
    ])
    func predicatesAreLeftAsTheyAre(text: String, predicate: String) throws {
        #expect(try QueryText(text).predicate == predicate)
    }

    @Test func ordersMayBeWords() throws {
        let query = try QueryText("P sort name desc, -age desc, +size")
        #expect(query.sortKeys.map(\.ascending) == [false, true, true])
        #expect(query.sortKeys.map(\.key) == ["name", "age", "size"])
    }

    @Test(arguments: [
        ("", 0), ("where a == 1", 0), ("P foo", 2), ("P where", 2), ("P limit many", 8), ("P limit -1", 8),
        ("P sort a,,b", 9), ("P sort a b c", 7), ("P sort -", 7), ("P show a, ", 9), ("P where (a == 1", 8),
        ("P where a == 'x", 13), ("P limit 1 limit 2", 10), ("P where sort a", 99),
    ])
    func errorsNameTheirPlace(text: String, position: Int) throws {
        if position == 99 {
            // A word that begins a clause is its content.
            #expect(try QueryText(text).predicate == "sort a")
            return
        }
        let error = #expect(throws: QueryTextError.self) { try QueryText(text) }
        #expect(error?.position == position)
    }

    @Test func theCaretStandsBelowThePlace() throws {
        let error = try #require(#expect(throws: QueryTextError.self) { try QueryText("日本 limit x") })
        #expect(error.excerpt == "  日本 limit x\n             ^")
    }

    @Test func longQueriesAreShownAroundThePlace() throws {
        let long = "P where " + String(repeating: "a == 1 and ", count: 50) + "b == 1 limit x"
        let error = try #require(#expect(throws: QueryTextError.self) { try QueryText(long) })
        let lines = error.excerpt.split(separator: "\n")
        #expect(lines[0].count < 110)
        #expect(lines[0].hasPrefix("  …"))
        #expect(lines[1].count == lines[0].count)
    }
}
