import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Decodes a row of one entity from a statement's values into a slab.
final class RowDecoder: @unchecked Sendable {
    let number: Int
    let rowBytes: Int
    private let versionColumn: Int32
    /// Steps are grouped by operation, so that the processor predicts the branch on the operation.
    private let integers: UnsafePointer<Step>
    private let reals: UnsafePointer<Step>
    private let texts: UnsafePointer<Step>
    private let references: UnsafePointer<Step>
    private let owners: UnsafePointer<Step>
    private let others: UnsafePointer<Step>
    private let endOfSteps: UnsafePointer<Step>
    /// Whether every slot has a step of the common kinds, and one word holds all present bits.
    private let isPlain: Bool
    /// The value of that word if no slot is nil.
    private let allPresent: UInt64
    private let numbering: EntityNumbering
    private let files: ExternalFiles

    /// The decoding of one slot.
    private struct Step {
        enum Operation: UInt8, CaseIterable {
            case integer, real, bytes, reference, owner, uuid, decimal, polymorphic, external
        }
        // Fields are read in place: copying the whole step takes longer than decoding a number.
        var operation: Operation
        var column: Int32
        /// The column of the destination's entity number.
        var second: Int32 = 0
        /// The entity number of a to-one's destination, shifted to its place in a reference.
        var destination: Int64 = 0
        /// The offsets of the slot and of its present bit's word in a row.
        var place: Int
        var presentPlace: Int
        var presentBit: UInt64

        /// Writes the slot without its present bit.
        @inline(__always)
        func put(_ bits: UInt64, _ row: UnsafeMutableRawPointer) {
            row.storeBytes(of: bits, toByteOffset: place, as: UInt64.self)
        }

        @inline(__always)
        func set(_ row: UnsafeMutableRawPointer, _ bits: UInt64) {
            put(bits, row)
            let word = row + presentPlace
            word.storeBytes(of: word.load(as: UInt64.self) | presentBit, as: UInt64.self)
        }
    }

    init(
        layout: EntityLayout, columns: EntityColumns, numbering: EntityNumbering, files: ExternalFiles,
        ownerColumn: String?, position: (String) -> Int32?
    ) {
        self.numbering = numbering
        self.files = files
        number = layout.number
        rowBytes = layout.rowBytes
        versionColumn = position("Z_OPT") ?? -1
        var steps: [Step] = []
        for (cell, place) in zip(layout.cells, columns.cells) {
            guard let column = place.column else { continue }
            let isOwner = cell.kind == .reference && column == ownerColumn && place.entityColumn == nil
            var step = Step(
                operation: .integer, column: position(column) ?? -1,
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
                step.operation = isOwner ? .owner : .reference
                step.destination = Int64(layout.relationships[cell.relationshipIndex].destinationNumber) << 48
                if let entity = place.entityColumn {
                    step.operation = .polymorphic
                    step.second = position(entity) ?? -1
                }
            }
            steps.append(step)
        }
        let sorted = Step.Operation.allCases.flatMap { operation in steps.filter { $0.operation == operation } }
        let memory = UnsafeMutablePointer<Step>.allocate(capacity: max(steps.count, 1))
        memory.initialize(from: sorted, count: sorted.count)
        integers = UnsafePointer(memory)
        reals = integers + sorted.count { $0.operation == .integer }
        texts = reals + sorted.count { $0.operation == .real }
        references = texts + sorted.count { $0.operation == .bytes }
        owners = references + sorted.count { $0.operation == .reference }
        others = owners + sorted.count { $0.operation == .owner }
        endOfSteps = integers + sorted.count
        isPlain = layout.bitWords == 1 && sorted.count == layout.cells.count
        allPresent = isPlain ? sorted.reduce(0) { $0 | $1.presentBit } : 0
    }

    deinit { integers.deallocate() }

    /// Decodes the row into the slab; returns nil if the slab is full.
    @inline(__always)
    func decode(_ values: borrowing RowValues, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        if isPlain, let sideBySide = values.sideBySide {
            return try decodePlainly(sideBySide, of: values, into: slab)
        }
        return try decodeAny(values, into: slab)
    }

    // MARK: Plain rows

    /// Decodes a plain row. Not inlined, so that its state stays in registers. The row's memory need not be zeroed.
    @inline(never)
    private func decodePlainly(
        _ values: RowValues.SideBySide, of allValues: borrowing RowValues, into slab: RowSlab
    ) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRawRow(bytes: rowBytes) else { return nil }
        try setVersion(of: row, sqlite3_value_int64(values[versionColumn]))
        var absent: UInt64 = 0
        var step = integers
        while step != reals {
            let value = values[step.pointee.column]
            let integer = sqlite3_value_int64(value)
            if integer == 0, sqlite3_value_type(value) == SQLITE_NULL { absent |= step.pointee.presentBit }
            step.pointee.put(UInt64(bitPattern: integer), row)
            step += 1
        }
        while step != texts {
            let value = values[step.pointee.column]
            let real = sqlite3_value_double(value)
            if real == 0, sqlite3_value_type(value) == SQLITE_NULL { absent |= step.pointee.presentBit }
            step.pointee.put(real.bitPattern, row)
            step += 1
        }
        while step != references {
            let value = values[step.pointee.column]
            var bits: UInt64 = 0
            if let start = sqlite3_value_blob(value) {
                bits = slab.append(start, count: Int(sqlite3_value_bytes(value))).bits
            } else if sqlite3_value_type(value) == SQLITE_NULL {
                absent |= step.pointee.presentBit
            } else {
                bits = slab.append(nil, count: 0).bits
            }
            step.pointee.put(bits, row)
            step += 1
        }
        while step != others {
            let key = step < owners ? sqlite3_value_int64(values[step.pointee.column]) : allValues.owner
            if key == 0 { absent |= step.pointee.presentBit }
            guard UInt64(bitPattern: key) <= UInt64(RowReference.largestKey) else {
                throw UnreadableRow.outOfRange(column: step.pointee.column, value: key)
            }
            step.pointee.put(key != 0 ? UInt64(bitPattern: step.pointee.destination | key) : 0, row)
            step += 1
        }
        if step != endOfSteps { absent |= try decodeOthers(allValues, to: row, slab) }
        (row + 8).storeBytes(of: allPresent & ~absent, as: UInt64.self)
        return row
    }

    /// Decodes the slots of the less common kinds. Returns the present bits of those that are NULL.
    @inline(never)
    private func decodeOthers(
        _ values: borrowing RowValues, to row: UnsafeMutableRawPointer, _ slab: RowSlab
    ) throws -> UInt64 {
        var absent: UInt64 = 0
        var step = others
        while step != endOfSteps {
            let bits = try bits(step, values, slab)
            if bits == nil { absent |= step.pointee.presentBit }
            step.pointee.put(bits ?? 0, row)
            step += 1
        }
        return absent
    }

    @inline(__always)
    private func setVersion(of row: UnsafeMutableRawPointer, _ version: Int64) throws {
        guard UInt64(bitPattern: version) <= UInt64(UnreadableRow.largestVersion) else {
            throw UnreadableRow.outOfRange(column: versionColumn, value: version)
        }
        EntityLayout.setVersion(row, UInt32(truncatingIfNeeded: version))
        (row + 4).storeBytes(of: 0, as: UInt32.self)
    }

    // MARK: Any rows

    @inline(never)
    private func decodeAny(
        _ values: borrowing RowValues, into slab: RowSlab
    ) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRow(bytes: rowBytes) else { return nil }
        try setVersion(of: row, values.integer(versionColumn))
        var step = integers
        while step != endOfSteps {
            if let bits = try bits(step, values, slab) { step.pointee.set(row, bits) }
            step += 1
        }
        return row
    }

    /// Returns the bits of a slot, after copying text and bytes to the slab; nil for NULL.
    @inline(__always)
    private func bits(
        _ step: UnsafePointer<Step>, _ values: borrowing RowValues, _ slab: RowSlab
    ) throws -> UInt64? {
        if step.pointee.operation == .owner {
            return values.owner > 0 ? UInt64(bitPattern: step.pointee.destination | values.owner) : nil
        }
        let value = values.value(step.pointee.column)
        switch step.pointee.operation {
        case .integer:
            let integer = sqlite3_value_int64(value)
            return integer == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : UInt64(bitPattern: integer)
        case .real:
            let real = sqlite3_value_double(value)
            return real == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : real.bitPattern
        case .bytes:
            if let start = sqlite3_value_blob(value) {
                return slab.append(start, count: Int(sqlite3_value_bytes(value))).bits
            }
            return sqlite3_value_type(value) == SQLITE_NULL ? nil : slab.append(nil, count: 0).bits
        case .uuid:
            guard let start = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else { return nil }
            return slab.append(start, count: 16).bits
        case .reference, .owner:
            let key = try Self.key(value, step)
            return key != 0 ? UInt64(bitPattern: step.pointee.destination | key) : nil
        case .polymorphic:
            let key = try Self.key(value, step)
            guard key != 0 else { return nil }
            let stored = Int(values.integer(step.pointee.second))
            let destination = numbering.inModel(stored).map { Int64($0) << 48 } ?? step.pointee.destination
            return UInt64(bitPattern: destination | key)
        case .decimal, .external: return rareBits(step.pointee, values.statement, slab)
        }
    }

    /// Returns a primary key; 0 for NULL.
    @inline(__always)
    private static func key(_ value: OpaquePointer?, _ step: UnsafePointer<Step>) throws -> Int64 {
        let key = sqlite3_value_int64(value)
        guard UInt64(bitPattern: key) <= UInt64(RowReference.largestKey) else {
            throw UnreadableRow.outOfRange(column: step.pointee.column, value: key)
        }
        return key
    }

    @inline(never)
    private func rareBits(_ step: Step, _ statement: OpaquePointer, _ slab: RowSlab) -> UInt64? {
        let type = sqlite3_column_type(statement, step.column)
        guard type != SQLITE_NULL else { return nil }
        if step.operation == .decimal {
            let decimal: Decimal? =
                switch type {
                case SQLITE_INTEGER: Decimal(sqlite3_column_int64(statement, step.column))
                case SQLITE_FLOAT: Decimal(shortest: sqlite3_column_double(statement, step.column))
                default:
                    sqlite3_column_text(statement, step.column).flatMap { DecimalCoding.decimal(String(cString: $0)) }
                }
            guard let decimal else { return nil }
            return withUnsafeBytes(of: decimal) { slab.append($0.baseAddress, count: $0.count) }.bits
        }
        let start = sqlite3_column_blob(statement, step.column)
        let stored = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, step.column)))
        return files.load(stored, into: slab).bits
    }
}
