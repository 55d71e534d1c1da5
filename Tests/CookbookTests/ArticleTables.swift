import Foundation

/// The code in tables of articles that compare another framework with this one.
enum ArticleTables {
    /// The heading of the columns whose code must be compiled.
    static let heading = "MagicalRecord for Swift"

    /// The pieces of code in the cells below the heading.
    static func code(in text: String) -> [String] {
        var code: [String] = []
        var column: Int?
        var isFenced = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") { isFenced.toggle() }
            guard !isFenced, line.hasPrefix("|") else {
                column = nil
                continue
            }
            let cells = cells(of: line)
            if let column {
                if cells.indices.contains(column) { code += spans(of: cells[column]) }
            } else {
                // Rows of other tables find no cell at this index.
                column = cells.firstIndex(of: heading) ?? .max
            }
        }
        return code
    }

    /// Without whitespace, which the formatter puts where lines are too long, and without comments.
    static func condensed(_ lines: [String]) -> String {
        lines.map { $0.components(separatedBy: " // ")[0] }.joined().filter { !$0.isWhitespace }
    }

    /// A vertical bar within a cell is written `\|`.
    private static func cells(of row: String) -> [String] {
        row.replacingOccurrences(of: "\\|", with: "\u{0}").components(separatedBy: "|").dropFirst().map {
            $0.replacingOccurrences(of: "\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
        }
    }

    private static func spans(of cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
}
