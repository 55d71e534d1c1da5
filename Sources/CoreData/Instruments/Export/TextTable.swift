/// A table for a terminal, with a column of strings followed by columns of numbers.
struct TextTable {
    private var rows: [[String]]
    /// The maximum number of characters shown of a string.
    private let limit: Int

    init(_ header: [String], limit: Int = 100) {
        rows = [header]
        self.limit = limit
    }

    mutating func append(_ text: String, _ numbers: [String]) {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        rows.append([line.count > limit ? line.prefix(limit - 1) + "…" : line] + numbers)
    }

    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + space : space + text
            }.joined(separator: "  ")
        }
    }
}

extension Double {
    /// The number with three fractional digits.
    var withThreeDigits: String {
        let thousandths = (self * 1000).rounded()
        guard let all = Int(exactly: thousandths) else { return String(self) }
        let fraction = String(all.magnitude % 1000)
        return
            "\(all < 0 ? "-" : "")\(all.magnitude / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
