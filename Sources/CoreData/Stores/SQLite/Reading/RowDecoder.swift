import CSQLite
import Foundation

/// Decodes a row of one entity from a statement's columns into a slab.
final class RowDecoder: @unchecked Sendable {
    let number: Int
    private let rowBytes: Int
    private let firstStep: UnsafePointer<Step>
    private let endOfSteps: UnsafePointer<Step>
    /// Every cell has a step, and one word holds their present bits: then the row need not be cleared first.
    private let isDense: Bool
    private let numbering: EntityNumbering
    private let files: ExternalFiles

    /// What to do for one cell.
    private struct Step {
        enum Operation: UInt8 { case integer, real, bytes, uuid, decimal, reference, polymorphic, external }
        // Read field by field where it lies: a copy of the whole takes longer than decoding a number.
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
        isDense = layout.bitWords == 1 && steps.count == layout.cells.count
        let memory = UnsafeMutablePointer<Step>.allocate(capacity: max(steps.count, 1))
        memory.initialize(from: steps, count: steps.count)
        firstStep = UnsafePointer(memory)
        endOfSteps = firstStep + steps.count
    }

    deinit { firstStep.deallocate() }

    /// Makes the row the statement stands at in the slab; nil when the slab is full.
    @inline(__always)
    func decode(_ statement: OpaquePointer, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard isDense else { return try decodeSparsely(statement, into: slab) }
        guard let row = slab.makeRawRow(bytes: rowBytes) else { return nil }
        setVersion(of: row, statement)
        var present: UInt64 = 0
        var step = firstStep
        while step != endOfSteps {
            let bits = try bits(step, statement, slab)
            if bits != nil { present |= step.pointee.presentBit }
            row.storeBytes(of: bits ?? 0, toByteOffset: step.pointee.place, as: UInt64.self)
            step += 1
        }
        row.storeBytes(of: present, toByteOffset: 8, as: UInt64.self)
        return row
    }

    /// The same, in one piece of code for all who call it seldom.
    @inline(never)
    func decodeSeldom(_ statement: OpaquePointer, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        try decode(statement, into: slab)
    }

    @inline(never)
    private func decodeSparsely(_ statement: OpaquePointer, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRow(bytes: rowBytes) else { return nil }
        setVersion(of: row, statement)
        var step = firstStep
        while step != endOfSteps {
            if let bits = try bits(step, statement, slab) { step.pointee.set(row, bits) }
            step += 1
        }
        return row
    }

    @inline(__always)
    private func setVersion(of row: UnsafeMutableRawPointer, _ statement: OpaquePointer) {
        let version = sqlite3_column_int64(statement, RowPlan.versionColumn)
        EntityLayout.setVersion(row, UInt32(truncatingIfNeeded: version))
        (row + 4).storeBytes(of: 0, as: UInt32.self)
    }

    /// The cell of a column, its text or bytes copied to the slab; nil for NULL.
    @inline(__always)
    private func bits(
        _ step: UnsafePointer<Step>, _ statement: OpaquePointer, _ slab: RowSlab
    ) throws -> UInt64? {
        // Every function that reads a column looks for errors and locks first. Going through the value does that once a
        // column; it belongs to this thread as the connection does.
        let value = sqlite3_column_value(statement, step.pointee.column)
        switch step.pointee.operation {
        case .integer:
            let integer = sqlite3_value_int64(value)
            return integer != 0 || sqlite3_value_type(value) != SQLITE_NULL ? UInt64(bitPattern: integer) : nil
        case .real:
            let real = sqlite3_value_double(value)
            return real != 0 || sqlite3_value_type(value) != SQLITE_NULL ? real.bitPattern : nil
        case .bytes:
            if let start = sqlite3_value_blob(value) {
                return slab.append(start, count: Int(sqlite3_value_bytes(value))).bits
            }
            return sqlite3_value_type(value) != SQLITE_NULL ? slab.append(nil, count: 0).bits : nil
        case .uuid:
            guard let start = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else { return nil }
            return slab.append(start, count: 16).bits
        case .reference:
            let key = sqlite3_value_int64(value)
            return key > 0 ? UInt64(bitPattern: step.pointee.destination | key) : nil
        case .polymorphic:
            let key = sqlite3_value_int64(value)
            guard key > 0 else { return nil }
            let stored = Int(sqlite3_column_int64(statement, step.pointee.second))
            let destination = numbering.inModel(stored).map { Int64($0) << 48 } ?? step.pointee.destination
            return UInt64(bitPattern: destination | key)
        case .decimal, .external: return try rareBits(step.pointee, statement, slab)
        }
    }

    @inline(never)
    private func rareBits(_ step: Step, _ statement: OpaquePointer, _ slab: RowSlab) throws -> UInt64? {
        let type = sqlite3_column_type(statement, step.column)
        guard type != SQLITE_NULL else { return nil }
        if step.operation == .decimal {
            let decimal: Decimal? =
                switch type {
                case SQLITE_INTEGER: Decimal(sqlite3_column_int64(statement, step.column))
                case SQLITE_FLOAT: DecimalCoding.decimal(sqlite3_column_double(statement, step.column))
                default: sqlite3_column_text(statement, step.column).flatMap { Decimal(string: String(cString: $0)) }
                }
            guard let decimal else { return nil }
            return withUnsafeBytes(of: decimal) { slab.append($0.baseAddress, count: $0.count) }.bits
        }
        let start = sqlite3_column_blob(statement, step.column)
        let stored = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, step.column)))
        return try files.load(stored, into: slab)?.bits
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
