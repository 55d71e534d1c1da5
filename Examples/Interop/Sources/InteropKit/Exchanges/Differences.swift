/// The comparison of lists of lines.
enum Differences {
    /// Returns the lines that one list contains more often than the other, in any order, sorted so that expected and found
    /// values of the same property are adjacent.
    static func between(expected: [String], found: [String]) -> [String] {
        var surplus: [String: Int] = [:]
        for line in found { surplus[line, default: 0] += 1 }
        for line in expected { surplus[line, default: 0] -= 1 }
        return surplus.sorted { $0.key < $1.key }.flatMap { line, count in
            Array(repeating: (count < 0 ? "expected: " : "found: ") + line, count: abs(count))
        }
    }
}
