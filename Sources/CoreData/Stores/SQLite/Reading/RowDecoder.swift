import CSQLite
import Foundation

/// Decodes a row of one entity from a statement's columns into a slab.
final class RowDecoder: @unchecked Sendable {
    let layout: EntityLayout
    let number: Int
    private let rowBytes: Int
    private let steps: UnsafeMutableBufferPointer<Step>
    private let numbering: EntityNumbering
    private let files: ExternalFiles

    /// What to do for one cell.
    private struct Step {
        enum Operation: UInt8 { case integer, real, bytes, uuid, decimal, reference, polymorphic, external }
        var operation: Operation
        var column: Int32
        /// Column of the destination's entity number.
        var second: Int32 = 0
        var cell: Int
        /// Entity number of a to-one's destination, shifted to its place in a reference.
        var destination: Int64 = 0
        /// Where the cell and its present bit lie in a row.
        var place: Int
        var presentPlace: Int
        var presentBit: UInt64

        @inline(__always)
        func set(_ row: UnsafeMutableRawPointer, _ bits: UInt64) {
            row.storeBytes(of: bits, toByteOffset: place, as: UInt64.self)
            let word = row + presentPlace
            word.storeBytes(of: word.load(as: UInt64.self) | presentBit, as: UInt64.self)
        }
    }

    init(
        layout: EntityLayout, columns: EntityColumns, numbering: EntityNumbering, files: ExternalFiles,
        position: (String) -> Int32
    ) {
        self.layout = layout
        self.numbering = numbering
        self.files = files
        number = layout.number
        rowBytes = layout.rowBytes
        var steps: [Step] = []
        for (cell, place) in zip(layout.cells, columns.cells) {
            guard let column = place.column else { continue }
            var step = Step(
                operation: .integer, column: position(column), cell: cell.index,
                place: layout.cellsOffset + cell.index << 3, presentPlace: 8 + (cell.index >> 6) << 3,
                presentBit: 1 << UInt64(cell.index & 63))
            switch cell.kind {
            case .int16, .int32, .int64, .boolean: step.operation = .integer
            case .double, .float, .date: step.operation = .real
            case .string, .uri, .transformable: step.operation = .bytes
            case .data: step.operation = place.isExternal ? .external : .bytes
            case .uuid: step.operation = .uuid
            case .decimal: step.operation = .decimal
            case .boxed: continue
            case .reference:
                step.operation = .reference
                step.destination = Int64(layout.relationships[cell.relationshipIndex].destinationNumber) << 48
                if let entity = place.entityColumn {
                    step.operation = .polymorphic
                    step.second = position(entity)
                }
            }
            steps.append(step)
        }
        self.steps = .allocate(capacity: steps.count)
        _ = self.steps.initialize(from: steps)
    }

    deinit { steps.deallocate() }

    /// Makes the row the statement stands at in the slab; nil when the slab is full.
    @inline(__always)
    func decode(_ statement: OpaquePointer, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRow(bytes: rowBytes) else { return nil }
        EntityLayout.setVersion(
            row, UInt32(truncatingIfNeeded: sqlite3_column_int64(statement, RowPlan.versionColumn)))
        for step in steps {
            switch step.operation {
            case .integer:
                let value = sqlite3_column_int64(statement, step.column)
                if value != 0 || sqlite3_column_type(statement, step.column) != SQLITE_NULL {
                    step.set(row, UInt64(bitPattern: value))
                }
            case .real:
                let value = sqlite3_column_double(statement, step.column)
                if value != 0 || sqlite3_column_type(statement, step.column) != SQLITE_NULL {
                    step.set(row, value.bitPattern)
                }
            case .bytes:
                if let start = sqlite3_column_blob(statement, step.column) {
                    let count = Int(sqlite3_column_bytes(statement, step.column))
                    step.set(row, slab.append(start, count: count).bits)
                } else if sqlite3_column_type(statement, step.column) != SQLITE_NULL {
                    step.set(row, slab.append(nil, count: 0).bits)
                }
            case .uuid:
                if let start = sqlite3_column_blob(statement, step.column),
                    sqlite3_column_bytes(statement, step.column) == 16
                {
                    step.set(row, slab.append(start, count: 16).bits)
                }
            case .reference:
                let key = sqlite3_column_int64(statement, step.column)
                if key > 0 { step.set(row, UInt64(bitPattern: step.destination | key)) }
            case .polymorphic:
                let key = sqlite3_column_int64(statement, step.column)
                if key > 0 {
                    let stored = Int(sqlite3_column_int64(statement, step.second))
                    let destination = numbering.inModel(stored).map { Int64($0) << 48 } ?? step.destination
                    step.set(row, UInt64(bitPattern: destination | key))
                }
            case .decimal, .external:
                try decodeRare(step, statement, row, slab)
            }
        }
        return row
    }

    @inline(never)
    private func decodeRare(
        _ step: Step, _ statement: OpaquePointer, _ row: UnsafeMutableRawPointer, _ slab: RowSlab
    ) throws {
        let type = sqlite3_column_type(statement, step.column)
        guard type != SQLITE_NULL else { return }
        if step.operation == .decimal {
            let decimal: Decimal? =
                switch type {
                case SQLITE_INTEGER: Decimal(sqlite3_column_int64(statement, step.column))
                case SQLITE_FLOAT: DecimalCoding.decimal(sqlite3_column_double(statement, step.column))
                default: sqlite3_column_text(statement, step.column).flatMap { Decimal(string: String(cString: $0)) }
                }
            guard let decimal else { return }
            let range = withUnsafeBytes(of: decimal) { slab.append($0.baseAddress, count: $0.count) }
            step.set(row, range.bits)
            return
        }
        let start = sqlite3_column_blob(statement, step.column)
        let stored = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, step.column)))
        if let range = try files.load(stored, into: slab) { step.set(row, range.bits) }
    }
}

/// Decimals between Foundation's form and SQLite's, which has none of its own: integers stay exact, the rest becomes a
/// double, as in Apple's files.
enum DecimalCoding {
    enum Stored {
        case integer(Int64)
        case real(Double)
    }

    /// The decimal with the fewest digits that reads back as this double.
    static func decimal(_ value: Double) -> Decimal? {
        if let integer = Int64(exactly: value) { return Decimal(integer) }
        guard value.isFinite else { return value.isNaN ? Decimal.nan : nil }
        return Decimal(string: value.description)
    }

    static func stored(_ value: Decimal) -> Stored {
        let text = value.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? .nan)
    }
}
