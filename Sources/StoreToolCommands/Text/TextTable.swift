import Foundation

/// One cell of a table.
package struct TableCell: Sendable, Hashable {
    /// The text, without control characters.
    package var text: String
    /// True if it is aligned to the right.
    package var isNumber: Bool

    package init(_ text: String, isNumber: Bool = false) {
        self.text = CellText.escaped(text)
        self.isNumber = isNumber
    }
}

/// A table that is written row by row. The widths of columns are those of the first rows.
///
/// A table that is too wide for its headers may be written as a block of lines for each row instead.
package final class TextTable {
    private let console: Console
    private let headers: [TableCell]
    private let isWide: Bool
    private let sampleSize: Int
    private var sample: [[TableCell]] = []
    private var widths: [Int]?
    private var isNumeric: [Bool] = []
    private let indent: String
    private let allowsBlocks: Bool
    private var isInBlocks = false
    private var hasBlocks = false

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - isWide: Whether no text is cut.
    ///   - sampleSize: The number of rows that determine the widths.
    ///   - allowsBlocks: Whether rows become blocks of lines if the headers do not fit.
    package init(
        _ headers: [String], _ console: Console, isWide: Bool = false, sampleSize: Int = 200, indent: String = "",
        allowsBlocks: Bool = false
    ) {
        self.headers = headers.map { TableCell($0) }
        self.allowsBlocks = allowsBlocks
        (self.console, self.isWide, self.sampleSize, self.indent) = (console, isWide, sampleSize, indent)
    }

    package func add(_ row: [TableCell]) throws {
        guard widths == nil else { return try write(row) }
        sample.append(row)
        if sample.count >= sampleSize { try begin() }
    }

    /// Writes what is left.
    package func end() throws { if widths == nil { try begin() } }

    private func begin() throws {
        isNumeric = headers.indices.map { column in
            let cells = sample.lazy.map { $0[column] }.filter { !$0.text.isEmpty }
            return !cells.isEmpty && cells.allSatisfy(\.isNumber)
        }
        var widths = headers.indices.map { column in
            sample.reduce(DisplayWidth.of(headers[column].text)) { max($0, DisplayWidth.of($1[column].text)) }
        }
        if !isWide, let width = console.width {
            let fitting = Self.fit(widths, into: width - indent.count)
            let isCut = zip(fitting, headers).contains { $0 < DisplayWidth.of($1.text) }
            isInBlocks = allowsBlocks && isCut && !sample.isEmpty
            widths = fitting
        }
        self.widths = widths
        if !isInBlocks { try write(headers, .bold) }
        let rows = sample
        sample = []
        for row in rows { try write(row) }
    }

    /// Returns widths that fit together with the gaps, by narrowing the widest columns, though none below 6.
    package static func fit(_ widths: [Int], into total: Int) -> [Int] {
        let room = total - gap * max(0, widths.count - 1)
        guard widths.reduce(0, +) > room else { return widths }
        var (low, high) = (6, max(6, widths.max() ?? 0))
        // The greatest limit with which all columns fit.
        while low < high {
            let limit = (low + high + 1) / 2
            if widths.reduce(0, { $0 + min($1, limit) }) <= room { low = limit } else { high = limit - 1 }
        }
        var result = widths.map { min($0, low) }
        // What the limit leaves over, to the columns that it narrows.
        var rest = room - result.reduce(0, +)
        for column in result.indices where rest > 0 && widths[column] > result[column] {
            result[column] += 1
            rest -= 1
        }
        return result
    }

    private static let gap = 2

    private func write(_ row: [TableCell], _ style: Console.Style? = nil) throws {
        guard let widths else { return }
        if isInBlocks { return try writeBlock(row) }
        var line = indent
        for (column, cell) in row.enumerated() {
            let text = isWide ? cell.text : CellText.cut(cell.text, to: widths[column])
            let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.of(text)))
            let shown = style.map { console.styled(text, $0) } ?? text
            if column > 0 { line += String(repeating: " ", count: Self.gap) }
            if isNumeric[column] {
                line += padding + shown
            } else {
                line += shown + (column == row.count - 1 ? "" : padding)
            }
        }
        // No spaces at the end of a line.
        while line.last == " " { line.removeLast() }
        try console.write(line + "\n")
    }

    /// Writes a line for each cell of a row that has text, and an empty line between rows.
    private func writeBlock(_ row: [TableCell]) throws {
        if hasBlocks { try console.write("\n") }
        hasBlocks = true
        let width = headers.reduce(0) { max($0, DisplayWidth.of($1.text)) }
        let room = max(6, (console.width ?? .max) - indent.count - width - Self.gap)
        for (header, cell) in zip(headers, row) where !cell.text.isEmpty {
            let padding = String(repeating: " ", count: width - DisplayWidth.of(header.text) + Self.gap)
            let text = CellText.cut(cell.text, to: room)
            try console.write(indent + console.styled(header.text, .bold) + padding + text + "\n")
        }
    }
}

/// Sizes and counts as people read them.
package enum Quantity {
    /// Returns a number of bytes with a unit, of 1,024 each: `812 bytes`, `1.4 MB`.
    package static func bytes(_ count: Int64) -> String {
        guard count >= 1024 else { return count == 1 ? "1 byte" : "\(count) bytes" }
        var value = Double(count)
        var unit = 0
        // 1,023.95 would be shown as 1024.0.
        while value >= 1023.95, unit < units.count {
            value /= 1024
            unit += 1
        }
        return String(format: value < 10 ? "%.1f %@" : "%.0f %@", value, units[max(0, unit - 1)])
    }

    private static let units = ["KB", "MB", "GB", "TB", "PB"]

    /// Returns a number with commas between thousands.
    package static func count(_ number: Int64) -> String {
        var digits = Array("\(number.magnitude)")
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (number < 0 ? "-" : "") + String(digits)
    }

    /// Returns a number with a noun: `1 row`, `2 rows`.
    package static func of(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count(Int64(number))) \(number == 1 ? noun : plural ?? noun + "s")"
    }
}
