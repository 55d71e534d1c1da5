import Foundation

/// A block of an article that is run, and the output that the article shows below it.
struct ArticleBlock {
    /// `sh` or `sql`.
    let language: String
    /// The number of the first line of code in the article.
    let line: Int
    let code: [String]
    /// The lines of the `text` block that follows; nil if the article shows no output.
    let shown: [String]?

    /// Returns the blocks of an article in their order.
    static func all(in text: String) -> [ArticleBlock] {
        let lines = text.components(separatedBy: "\n")
        var fences: [(language: String, start: Int, end: Int)] = []
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            guard lines[index].hasPrefix("```") else { continue }
            let start = index + 1
            guard let end = lines[start...].firstIndex(of: "```") else { break }
            fences.append((String(lines[index].dropFirst(3)), start, end))
            index = end
        }
        return fences.indices.filter { ["sh", "sql"].contains(fences[$0].language) }.map { position in
            let fence = fences[position]
            var shown: [String]?
            if let next = fences[(position + 1)...].first, next.language == "text",
                lines[(fence.end + 1)..<(next.start - 1)].allSatisfy(\.isEmpty)
            {
                shown = Array(lines[next.start..<next.end])
            }
            return ArticleBlock(
                language: fence.language, line: fence.start + 1, code: Array(lines[fence.start..<fence.end]),
                shown: shown)
        }
    }

    /// Returns what differs between an output and what the article shows; nil if nothing does. A line `…` of the article
    /// stands for any lines.
    func difference(from output: String) -> String? {
        guard let shown else { return nil }
        let printed = Self.trimmed(output.components(separatedBy: "\n"))
        var position = 0
        var skips = false
        for (number, part) in Self.trimmed(shown).split(separator: "…", omittingEmptySubsequences: false).enumerated() {
            skips = number > 0
            let part = Array(part)
            guard !part.isEmpty else { continue }
            let starts = skips ? Array(position...max(position, printed.count)) : [position]
            guard let start = starts.first(where: { printed.dropFirst($0).starts(with: part) }) else {
                return "prints\n\(output.prefix(5000))\nnot\n\(part.joined(separator: "\n"))"
            }
            position = start + part.count
            skips = false
        }
        return position == printed.count || skips ? nil : "prints more than the article shows:\n\(output.prefix(5000))"
    }

    /// Returns lines without blanks at their ends and without empty lines at the end.
    static func trimmed(_ lines: [String]) -> [String] {
        var lines = lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
