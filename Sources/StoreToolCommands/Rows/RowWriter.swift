import Foundation
import StoreTools

/// Writes rows in a format, while they arrive.
package final class RowWriter {
    /// The name of the column with the object's URI.
    package static let identifier = "objectID"

    private let console: Console
    let format: RowFormat
    private let isWide: Bool
    /// True if the first column is the row's own object.
    private let addsIdentifier: Bool
    private var keys: [[UInt8]] = []
    private var table: TextTable?
    private var line = ByteText()
    package private(set) var count = 0

    /// Creates a writer.
    ///
    /// - Parameter addsIdentifier: Whether the first column is the row's own object, as ``identifier``.
    package init(_ console: Console, _ format: RowFormat?, isWide: Bool, addsIdentifier: Bool) {
        self.console = console
        self.format = format ?? (console.isTerminal ? .table : .csv)
        self.isWide = isWide
        self.addsIdentifier = addsIdentifier
    }

    /// Determines the columns and writes what comes before the rows.
    private func begin(_ available: [String]) throws {
        let shown = (addsIdentifier ? [Self.identifier] : []) + available
        switch format {
        case .table: table = TextTable(shown, console, isWide: isWide, allowsBlocks: true)
        case .csv:
            line.removeAll()
            for (index, name) in shown.enumerated() {
                if index > 0 { line.append(",") }
                line.appendCSV(name)
            }
            try endCSVLine()
        case .ndjson, .json:
            keys = shown.map { name in
                var key = ByteText()
                key.appendJSON(name)
                key.append(":")
                return key.bytes
            }
        }
    }

    package func add(_ row: StoreQuery.Row) throws { try add(CurrentRow(row)) }

    package func add(_ row: CurrentRow) throws {
        if count == 0 { try begin(row.columns) }
        if count & 255 == 0 { try console.checkInterruption() }
        count += 1
        switch format {
        case .table: try addCells(row.row)
        case .csv:
            appendCSV(row, to: &line)
            try endCSVLine()
        case .ndjson, .json:
            appendJSON(row, isFirst: count == 1, to: &line)
            try console.write(line.bytes)
        }
    }

    private func addCells(_ row: StoreQuery.Row) throws {
        let first = addsIdentifier ? [TableCell("\(row.entity)/p\(row.key)")] : []
        try table?.add(first + row.values.map { ValueText.cell($0, isExact: isWide) })
    }

    private func appendCSV(_ row: CurrentRow, to line: inout ByteText) {
        line.removeAll()
        if addsIdentifier { ValueText.appendCSV(row.object, to: &line) }
        for index in row.columns.indices {
            if addsIdentifier || index > 0 { line.append(",") }
            ValueText.appendCSV(row[index], to: &line)
        }
    }

    private func appendJSON(_ row: CurrentRow, isFirst: Bool, to line: inout ByteText) {
        line.removeAll()
        if format == .json { isFirst ? line.append("[\n  ") : line.append(",\n  ") }
        line.append("{")
        let shift = addsIdentifier ? 1 : 0
        if addsIdentifier {
            line.append(keys[0])
            ValueText.appendJSON(row.object, to: &line)
        }
        for index in row.columns.indices {
            if index + shift > 0 { line.append(",") }
            line.append(keys[index + shift])
            ValueText.appendJSON(row[index], to: &line)
        }
        line.append("}")
        if format == .ndjson { line.append("\n") }
    }

    /// Ends a line of CSV. A terminal gets no control characters of the data.
    private func endCSVLine() throws {
        guard console.isTerminal else {
            line.append("\r\n")
            return try console.write(line.bytes)
        }
        try console.write(CellText.escaped(line.text, keepsNewlines: true) + "\n")
    }

    /// Writes what comes after the rows.
    ///
    /// - Parameter available: The columns of a query that returned no rows.
    package func end(_ available: [String] = []) throws {
        if count == 0 { try begin(available) }
        switch format {
        case .table:
            try table?.end()
            if console.isTerminal { try console.line(console.styled(Quantity.of(count, "row"), .faint)) }
        case .csv, .ndjson: break
        case .json: try console.write(count == 0 ? "[]\n" : "\n]\n")
        }
    }
}
