/// The differences found by ``Judge``, by case.
public struct Verdict: Sendable {
    /// The differences of one case.
    public struct Item: Sendable {
        /// The name of the case.
        public var name: String
        /// The reason why the case was skipped, or nil.
        public var skipped: String?
        /// The differences, one line each.
        public var differences: [String] = []
    }

    /// The verified cases.
    public var items: [Item] = []
    /// The problems of the report as a whole.
    public var problems: [String] = []

    /// True if there are no problems and no differences.
    public var passed: Bool { problems.isEmpty && !items.isEmpty && items.allSatisfy(\.differences.isEmpty) }

    /// The verdict as text. The last line is the summary.
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
