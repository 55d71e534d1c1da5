/// Finds the word that was probably meant.
enum Suggestion {
    /// Returns the nearest candidate, if it is near enough to be a slip.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let distances = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
        let best = distances.min { ($0.1, $0.0) < ($1.1, $1.0) }
        if let best, best.1 <= limit { return best.0 }
        return candidates.first { word.count > 1 && $0.lowercased().hasPrefix(word.lowercased()) }
    }

    /// Returns the number of insertions, removals, replacements and swaps of neighbours between two words.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.prefix(64)), Array(second.prefix(64)))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
