import CSQLite
import Foundation

/// Decodes a row of one entity from a statement's values into a slab.
final class RowDecoder: @unchecked Sendable {
    let number: Int
    private let rowBytes: Int
    /// Steps of one operation follow each other: where one is of another operation than the last, the processor has to guess.
    private let integers: UnsafePointer<Step>
    private let reals: UnsafePointer<Step>
    private let texts: UnsafePointer<Step>
    private let others: UnsafePointer<Step>
    private let endOfSteps: UnsafePointer<Step>
    /// Every cell has a step, and one word holds their present bits: then the row need not be cleared first.
    private let isDense: Bool
    private let numbering: EntityNumbering
    private let files: ExternalFiles

    /// What to do for one cell.
    private struct Step {
        enum Operation: UInt8, CaseIterable {
            case integer, real, bytes, uuid, decimal, reference, polymorphic, external
        }
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
        let sorted = Step.Operation.allCases.flatMap { operation in steps.filter { $0.operation == operation } }
        let memory = UnsafeMutablePointer<Step>.allocate(capacity: max(steps.count, 1))
        memory.initialize(from: sorted, count: sorted.count)
        integers = UnsafePointer(memory)
        reals = integers + sorted.count { $0.operation == .integer }
        texts = reals + sorted.count { $0.operation == .real }
        others = texts + sorted.count { $0.operation == .bytes }
        endOfSteps = integers + sorted.count
    }

    deinit { integers.deallocate() }

    /// Makes the row in the slab; nil when the slab is full.
    @inline(__always)
    func decode(_ values: RowValues, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard isDense else { return try decodeSparsely(values, into: slab) }
        guard let row = slab.makeRawRow(bytes: rowBytes) else { return nil }
        setVersion(of: row, values)
        var present: UInt64 = 0
        try decodeCells(values, into: slab) { step, bits in
            if bits != nil { present |= step.pointee.presentBit }
            (row + step.pointee.place).assumingMemoryBound(to: UInt64.self).pointee = bits ?? 0
        }
        (row + 8).assumingMemoryBound(to: UInt64.self).pointee = present
        return row
    }

    /// The same, in one piece of code for all who call it seldom.
    @inline(never)
    func decodeSeldom(_ values: RowValues, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        try decode(values, into: slab)
    }

    @inline(never)
    private func decodeSparsely(_ values: RowValues, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRow(bytes: rowBytes) else { return nil }
        setVersion(of: row, values)
        try decodeCells(values, into: slab) { step, bits in
            if let bits { step.pointee.set(row, bits) }
        }
        return row
    }

    @inline(__always)
    private func setVersion(of row: UnsafeMutableRawPointer, _ values: RowValues) {
        let version = values.integer(RowPlan.versionColumn)
        EntityLayout.setVersion(row, UInt32(truncatingIfNeeded: version))
        (row + 4).storeBytes(of: 0, as: UInt32.self)
    }

    /// Gives the bits of each cell to `store`, text and bytes copied to the slab; nil for NULL.
    @inline(__always)
    private func decodeCells(
        _ values: RowValues, into slab: RowSlab, _ store: (UnsafePointer<Step>, UInt64?) -> Void
    ) throws {
        var step = integers
        while step != reals {
            let value = values.value(step.pointee.column)
            let integer = sqlite3_value_int64(value)
            let isNull = integer == 0 && sqlite3_value_type(value) == SQLITE_NULL
            store(step, isNull ? nil : UInt64(bitPattern: integer))
            step += 1
        }
        while step != texts {
            let value = values.value(step.pointee.column)
            let real = sqlite3_value_double(value)
            let isNull = real == 0 && sqlite3_value_type(value) == SQLITE_NULL
            store(step, isNull ? nil : real.bitPattern)
            step += 1
        }
        while step != others {
            let value = values.value(step.pointee.column)
            if let start = sqlite3_value_blob(value) {
                store(step, slab.append(start, count: Int(sqlite3_value_bytes(value))).bits)
            } else {
                let isNull = sqlite3_value_type(value) == SQLITE_NULL
                store(step, isNull ? nil : slab.append(nil, count: 0).bits)
            }
            step += 1
        }
        while step != endOfSteps {
            store(step, try otherBits(step, values, slab))
            step += 1
        }
    }

    @inline(__always)
    private func otherBits(
        _ step: UnsafePointer<Step>, _ values: RowValues, _ slab: RowSlab
    ) throws -> UInt64? {
        let value = values.value(step.pointee.column)
        switch step.pointee.operation {
        case .integer, .real, .bytes: return nil
        case .uuid:
            guard let start = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else { return nil }
            return slab.append(start, count: 16).bits
        case .reference:
            let key = sqlite3_value_int64(value)
            return key > 0 ? UInt64(bitPattern: step.pointee.destination | key) : nil
        case .polymorphic:
            let key = sqlite3_value_int64(value)
            guard key > 0 else { return nil }
            let stored = Int(values.integer(step.pointee.second))
            let destination = numbering.inModel(stored).map { Int64($0) << 48 } ?? step.pointee.destination
            return UInt64(bitPattern: destination | key)
        case .decimal, .external: return try rareBits(step.pointee, values.statement, slab)
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
