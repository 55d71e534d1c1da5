import Testing

/// `layout.js`, which needs no page.
@Suite("Layout of the page", .enabled(if: JavaScriptEngine.program != nil, "needs node on the PATH"))
struct LayoutTests {
    /// Markers of 16 pixels, 2 between them, from 100 to 200.
    private func places(_ wanted: [Int]) throws -> [Double] {
        try JavaScriptEngine.value(
            of: "placeMarkers(\(wanted), 16, 2, 100, 200)", in: "layout.js", as: [Double].self)
    }

    @Test(arguments: [
        ([], []), ([150], [150]), ([100, 150], [100, 150]), ([150, 100], [150, 100]),
        // Those that begin together stand in their order, and push those behind them.
        ([120, 120, 120], [120, 138, 156]), ([120, 130, 170], [120, 138, 170]), ([120, 120, 130], [120, 138, 156]),
        // No room is left at the end.
        ([195], [184]), ([180, 190], [166, 184]), ([184, 184, 184], [148, 166, 184]), ([50], [100]),
        // Five fit; more lie evenly on each other, and each can be seen.
        ([100, 100, 100, 100, 100, 100, 100, 100], [100, 112, 124, 136, 148, 160, 172, 184]),
    ])
    func markersHideNoOthers(_ wanted: [Int], _ expected: [Double]) throws {
        #expect(try places(wanted) == expected)
    }

    @Test func hundredsOfMarkersStayWithinTheirRoom() throws {
        let places = try places((0..<400).map { 100 + $0 % 7 })
        #expect(Set(places).count == 400 && places.allSatisfy { $0 >= 99.999 && $0 <= 184.001 })
    }

    @Test(arguments: [
        ("main", 10, ["main"]), ("main context", 8, ["main", "context"]), ("a b c", 3, ["a b", "c"]),
        ("Default Context (12)", 10, ["Default", "Conte…(12)"]), ("unnamedContext", 8, ["unna…ext"]), ("", 0, [""]),
    ])
    func longTitlesHaveTwoLines(_ text: String, _ room: Int, _ expected: [String]) throws {
        let result = try JavaScriptEngine.value(
            of: "wrapped(\"\(text)\", \(room), (text) => text.length)", in: "layout.js", as: [String].self)
        #expect(result == expected && result.allSatisfy { $0.count <= room })
    }

    @Test(arguments: [
        ("main", 10, "main"), ("main context", 12, "main context"), ("main context", 11, "main co…ext"),
        ("MagicalRecord Default Context (12)", 20, "MagicalRecord D…(12)"),
        ("MagicalRecord Default Context (12)", 4, "…(12)"), ("abc", 2, "a…"), ("🇫🇷🇫🇷", 3, "🇫…🇷"), ("", 0, ""),
    ])
    func longTextsEndWithTheirEnds(_ text: String, _ room: Int, _ expected: String) throws {
        let result = try JavaScriptEngine.value(
            of: "shortened(\"\(text)\", \(room), (text) => Array.from(text).length)", in: "layout.js", as: String.self)
        #expect(result == expected)
    }
}
