import CSQLite
import Foundation

/// Binds cells of rows to the parameters of an INSERT or UPDATE. Text and data are not copied: they stay in the slab
/// while the statement runs.
final class RowBinder: @unchecked Sendable {
    private struct Step {
        enum Operation: UInt8 { case integer, real, text, blob, decimal, reference, external }
        var operation: Operation
        var cell: Int
        var parameter: Int32
        /// Whether the entity number of a to-one's destination follows as the next parameter.
        var bindsEntity = false
        var destination = 0
    }

    private let layout: EntityLayout
    private let steps: [Step]
    /// Number of the first parameter after those of the cells.
    let nextParameter: Int32
    /// The columns, in the order of the parameters.
    let columns: [String]

    /// - Parameter cells: the cells to bind; those without columns are passed over.
    init(_ layout: EntityLayout, columns: EntityColumns, cells: some Sequence<Int>, firstParameter: Int32) {
        self.layout = layout
        var steps: [Step] = []
        var names: [String] = []
        for index in cells {
            let cell = layout.cells[index]
            let place = columns.cells[index]
            guard let column = place.column, !cell.isDerived else { continue }
            var step = Step(operation: .integer, cell: index, parameter: firstParameter + Int32(names.count))
            names.append(column)
            switch cell.kind {
            case .int16, .int32, .int64, .boolean: step.operation = .integer
            case .double, .float, .date: step.operation = .real
            case .string, .uri: step.operation = .text
            case .uuid, .transformable: step.operation = .blob
            case .data: step.operation = place.isExternal ? .external : .blob
            case .decimal: step.operation = .decimal
            case .boxed: continue
            case .reference:
                step.operation = .reference
                if let entity = place.entityColumn {
                    step.bindsEntity = true
                    step.destination = layout.relationships[cell.relationshipIndex].destinationNumber
                    names.append(entity)
                }
            }
            steps.append(step)
        }
        self.steps = steps
        self.columns = names
        nextParameter = firstParameter + Int32(names.count)
    }

    /// Cells whose values may lie in files of their own.
    var externalCells: [Int] { steps.filter { $0.operation == .external }.map(\.cell) }

    /// - Parameter offset: How many parameters of the statement belong to rows before this one.
    @inline(__always)
    func bind(
        _ row: UnsafeRawPointer, to statement: OpaquePointer, _ save: SaveOperation, after offset: Int32 = 0
    ) throws {
        for var step in steps {
            step.parameter += offset
            guard EntityLayout.isPresent(row, step.cell) else {
                sqlite3_bind_null(statement, step.parameter)
                if step.bindsEntity { sqlite3_bind_null(statement, step.parameter + 1) }
                continue
            }
            let bits = layout.bits(row, step.cell)
            switch step.operation {
            case .integer: sqlite3_bind_int64(statement, step.parameter, Int64(bitPattern: bits))
            case .real: sqlite3_bind_double(statement, step.parameter, Double(bitPattern: bits))
            case .text:
                let range = HeapRange(bits: bits)
                let start = range.start.assumingMemoryBound(to: CChar.self)
                sqlite3_bind_text64(
                    statement, step.parameter, start, UInt64(range.count), SQLiteStatement.unmoved,
                    UInt8(SQLITE_UTF8))
            case .blob:
                let range = HeapRange(bits: bits)
                if range.count == 0 {
                    sqlite3_bind_zeroblob(statement, step.parameter, 0)
                } else {
                    sqlite3_bind_blob64(
                        statement, step.parameter, range.start, UInt64(range.count),
                        SQLiteStatement.unmoved)
                }
            case .reference: try bindReference(RowReference(bits: bits), step, statement, save)
            case .decimal: bindDecimal(Self.bytes(bits), step, statement)
            case .external: try bindExternal(Self.bytes(bits), step, statement, save)
            }
        }
    }

    private static func bytes(_ bits: UInt64) -> UnsafeRawBufferPointer {
        let range = HeapRange(bits: bits)
        return UnsafeRawBufferPointer(start: range.start, count: range.count)
    }

    @inline(__always)
    private func bindReference(
        _ reference: RowReference, _ step: Step, _ statement: OpaquePointer, _ save: SaveOperation
    ) throws {
        guard let key = save.keys.key(of: reference) else {
            throw save.danglingReference(in: layout.cells[step.cell], of: layout)
        }
        sqlite3_bind_int64(statement, step.parameter, key)
        guard step.bindsEntity else { return }
        var number = save.entityNumber(of: reference)
        if number == 0 { number = step.destination }
        sqlite3_bind_int64(statement, step.parameter + 1, Int64(save.engine.numbering.inFile[number]))
    }

    private func bindDecimal(_ bytes: UnsafeRawBufferPointer, _ step: Step, _ statement: OpaquePointer) {
        switch DecimalCoding.stored(bytes.loadUnaligned(as: Decimal.self)) {
        case .integer(let value): sqlite3_bind_int64(statement, step.parameter, value)
        case .real(let value): sqlite3_bind_double(statement, step.parameter, value)
        }
    }

    private func bindExternal(
        _ bytes: UnsafeRawBufferPointer, _ step: Step, _ statement: OpaquePointer, _ save: SaveOperation
    ) throws {
        let cell = try save.storeExternally(bytes)
        cell.withUnsafeBytes {
            _ = sqlite3_bind_blob64(
                statement, step.parameter, $0.baseAddress, UInt64($0.count), SQLiteStatement.copied)
        }
    }
}
