import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Binds slots of rows to the parameters of an INSERT or UPDATE. Text and data are not copied: they stay in the slab while
/// the statement runs.
final class RowBinder: @unchecked Sendable {
    private struct Step {
        enum Operation: UInt8 { case integer, real, text, blob, decimal, reference, external }
        var operation: Operation
        var cell: Int
        var parameter: Int32
        /// Whether the entity number of a to-one's destination is the next parameter.
        var bindsEntity = false
        var destination = 0
    }

    private let layout: EntityLayout
    private let steps: [Step]
    /// The number of the first parameter after those of the slots.
    let nextParameter: Int32
    /// The columns, in the order of the parameters.
    let columns: [String]

    /// Creates a binder.
    ///
    /// - Parameter cells: the slots to bind; those without columns are skipped.
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

    /// The slots with values that may be in external files.
    var externalCells: [Int] { steps.filter { $0.operation == .external }.map(\.cell) }

    /// Binds a row's values.
    ///
    /// - Parameters:
    ///   - statement: the statement to bind to.
    ///   - key: the row's primary key, for errors.
    ///   - offset: the number of parameters that belong to earlier rows.
    /// - Throws: an error that names entity, attribute and row if SQLite refuses a value.
    @inline(__always)
    func bind(
        _ row: UnsafeRawPointer, key: Int64, to statement: SQLiteStatement, _ save: SaveOperation,
        after offset: Int32 = 0
    ) throws {
        let pointer = statement.pointer
        for var step in steps {
            step.parameter += offset
            var result = SQLITE_OK
            guard EntityLayout.isPresent(row, step.cell) else {
                result = sqlite3_bind_null(pointer, step.parameter)
                if step.bindsEntity, result == SQLITE_OK { result = sqlite3_bind_null(pointer, step.parameter + 1) }
                guard result == SQLITE_OK else { throw failure(result, step, row, key, statement) }
                continue
            }
            let bits = layout.bits(row, step.cell)
            switch step.operation {
            case .integer: result = sqlite3_bind_int64(pointer, step.parameter, Int64(bitPattern: bits))
            case .real: result = sqlite3_bind_double(pointer, step.parameter, Double(bitPattern: bits))
            case .text:
                result = SQLiteStatement.bindText(pointer, step.parameter, Self.bytes(bits), SQLiteStatement.unmoved)
            case .blob:
                result = SQLiteStatement.bindBlob(pointer, step.parameter, Self.bytes(bits), SQLiteStatement.unmoved)
            case .reference: result = try bindReference(RowReference(bits: bits), step, pointer, save)
            case .decimal: result = bindDecimal(Self.bytes(bits), step, pointer)
            case .external: result = try bindExternal(HeapRange(bits: bits), step, key, pointer, save)
            }
            guard result == SQLITE_OK else { throw failure(result, step, row, key, statement) }
        }
    }

    private static func bytes(_ bits: UInt64) -> UnsafeRawBufferPointer { HeapRange(bits: bits).bytes }

    @inline(never)
    private func failure(
        _ result: Int32, _ step: Step, _ row: UnsafeRawPointer, _ key: Int64, _ statement: SQLiteStatement
    ) -> NSError {
        var bytes = 8
        switch step.operation {
        case .text, .blob, .external: bytes = Self.bytes(layout.bits(row, step.cell)).count
        default: break
        }
        return statement.bindingFailure(
            result, bytes: bytes, entity: layout.name, attribute: layout.cells[step.cell].name, row: key)
    }

    @inline(__always)
    private func bindReference(
        _ reference: RowReference, _ step: Step, _ statement: OpaquePointer, _ save: SaveOperation
    ) throws -> Int32 {
        guard let key = save.keys.key(of: reference) else {
            throw save.danglingReference(in: layout.cells[step.cell], of: layout)
        }
        save.targets.note(reference)
        let result = sqlite3_bind_int64(statement, step.parameter, key)
        guard step.bindsEntity, result == SQLITE_OK else { return result }
        var number = save.entityNumber(of: reference)
        if number == 0 { number = step.destination }
        return sqlite3_bind_int64(statement, step.parameter + 1, Int64(save.engine.numbering.inFile[number]))
    }

    private func bindDecimal(_ bytes: UnsafeRawBufferPointer, _ step: Step, _ statement: OpaquePointer) -> Int32 {
        switch DecimalCoding.stored(bytes.loadUnaligned(as: Decimal.self)) {
        case .integer(let value): sqlite3_bind_int64(statement, step.parameter, value)
        case .real(let value): sqlite3_bind_double(statement, step.parameter, value)
        case .notANumber:
            Array(DecimalCoding.notANumber.utf8).withUnsafeBytes {
                SQLiteStatement.bindText(statement, step.parameter, $0, SQLiteStatement.copied)
            }
        }
    }

    private func bindExternal(
        _ value: HeapRange, _ step: Step, _ key: Int64, _ statement: OpaquePointer, _ save: SaveOperation
    ) throws -> Int32 {
        let cell: Data
        do {
            cell = try value.file.map { try save.files.store($0) } ?? save.files.store(value.bytes)
        } catch let missing as ValueFolder.Missing {
            throw MissingExternalValue.error(
                for: missing, layout.name, layout.cells[step.cell].name,
                of: key > 0 ? "the row with primary key \(key)" : nil)
        }
        return cell.withUnsafeBytes {
            SQLiteStatement.bindBlob(statement, step.parameter, $0, SQLiteStatement.copied)
        }
    }
}
