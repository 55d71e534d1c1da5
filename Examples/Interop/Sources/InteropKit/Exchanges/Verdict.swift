/// The differences that a judge found, by case.
public struct Verdict: Sendable {
    /// The differences of one case.
    public struct Item: Sendable {
        /// The name of the case.
        public var name: String
        /// The reason why the case was skipped, where it may be.
        public var skipped: String?
        /// The differences, a line each.
        public var differences: [String] = []
    }

    /// The cases that were judged.
    public var items: [Item] = []
    /// The faults of the report as a whole.
    public var problems: [String] = []

    /// True if everything is as expected.
    public var passed: Bool { problems.isEmpty && !items.isEmpty && items.allSatisfy(\.differences.isEmpty) }

    /// The verdict in words, for people. The last line is about all of it.
    public var lines: [String] {
        problems + items.flatMap(Self.lines) + [passed ? "Everything is as expected." : "There are differences."]
    }

    private static func lines(of item: Item) -> [String] {
        guard !item.differences.isEmpty else {
            return ["\(item.name): \(item.skipped.map { "skipped, \($0)" } ?? "as expected")"]
        }
        let shown = 40
        let rest = item.differences.count - shown
        return ["\(item.name): DIFFERENT"] + item.differences.prefix(shown).map { "    \($0)" }
            + (rest > 0 ? ["    and \(rest) more"] : [])
    }
}
