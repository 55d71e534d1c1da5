import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Converts values of batch requests to column values, with the checks that apply to an object's attributes.
struct BatchValue {
    let layout: EntityLayout
    let files: ExternalFileChanges

    private var entity: String { layout.name }

    /// Binds a value to an attribute's column; large data is written to an external file.
    ///
    /// - Throws: `NSManagedObjectValidationError` for a value of another type than the attribute's or beyond its range,
    ///   `NSSQLiteError` for one that is too long.
    func bind(
        _ value: Any?, for cell: EntityLayout.Cell, isExternal: Bool, to statement: SQLiteStatement, at index: Int32
    ) throws {
        do {
            try encode(value, cell, isExternal, statement, index)
        } catch let error as NSError {
            guard let limit = error.userInfo[SQLiteFailure.lengthLimitKey] as? Int else { throw error }
            throw SQLiteFailure.valueTooLong(
                error.userInfo[SQLiteFailure.valueLengthKey] as? Int, limit: limit,
                path: error.userInfo[NSFilePathErrorKey] as? String ?? "", entity: entity,
                attribute: cell.path, row: nil)
        }
    }

    private func encode(
        _ value: Any?, _ cell: EntityLayout.Cell, _ isExternal: Bool, _ statement: SQLiteStatement, _ index: Int32
    ) throws {
        if cell.kind == .string, let text = value.flatMap({ PlainValue.of($0, as: String.self) }) {
            return try statement.bind(text, at: index)
        }
        if let value, !Self.isInRange(value, of: cell.kind) { throw outOfRange(value, cell) }
        switch CellCoding.encode(value, as: cell) {
        case .absent: try statement.bindNull(at: index)
        case .bits(let bits):
            switch cell.kind {
            case .double, .float, .date: try statement.bind(Double(bitPattern: bits), at: index)
            default: try statement.bind(Int64(bitPattern: bits), at: index)
            }
        case .bytes(let data):
            switch cell.kind {
            case .transformable:
                if let value, let refusal = cell.coder?.refusal(of: value, bytes: data, in: entity) { throw refusal }
                try statement.bind(data, at: index)
            case .string, .uri: try data.withUnsafeBytes { try statement.bindText(copying: $0, at: index) }
            case .decimal: try bindDecimal(data, statement, index)
            case .data where isExternal: try statement.bind(try files.store(data), at: index)
            default: try statement.bind(data, at: index)
            }
        case .boxed, .mismatch:
            // A transformable attribute also accepts the bytes that its transformer would produce.
            if let coder = cell.coder, let value {
                if let data = value as? Data, coder.value(from: data) != nil {
                    return try statement.bind(data, at: index)
                }
                if let refusal = coder.refusal(of: value, bytes: nil, in: entity) { throw refusal }
            }
            throw mismatch(value, cell)
        }
    }

    private func bindDecimal(_ data: Data, _ statement: SQLiteStatement, _ index: Int32) throws {
        switch DecimalCoding.stored(data.withUnsafeBytes { CellCoding.loadDecimal($0) }) {
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .notANumber: try statement.bind(DecimalCoding.notANumber, at: index)
        }
    }

    /// Returns true if an attribute of this kind can hold the number, or if the value is not a number. Fractions are dropped,
    /// as by an accessor.
    private static func isInRange(_ value: Any, of kind: CellKind) -> Bool {
        if let range = kind.integerRange, let integer = PlainValue.of(value, as: Int.self) {
            return range.contains(Int64(integer))
        }
        guard kind.integerRange != nil || kind == .float, let number = ClassInstance.number(value) else { return true }
        let double = number.nearestDouble
        guard let range = kind.integerRange else { return !double.isFinite || Float(double).isFinite }
        guard double.isFinite else { return false }
        // Between the range's bound and the next whole number outside it, only the fraction is lost.
        if abs(double) < 9e15 { return double > Double(range.lowerBound) - 1 && double < Double(range.upperBound) + 1 }
        let (one, low, high) = (Decimal(1), Decimal(range.lowerBound), Decimal(range.upperBound))
        guard let decimal = Decimal(shortest: number), !decimal.isNaN else { return false }
        return decimal > low - one && decimal < high + one
    }

    /// Returns the error for a number that the attribute's type cannot hold.
    func outOfRange(_ value: Any, _ cell: EntityLayout.Cell) -> NSError {
        let range: Any = cell.kind.integerRange ?? -Float.greatestFiniteMagnitude...Float.greatestFiniteMagnitude
        return CoreDataError.make(
            NSManagedObjectValidationError, description: "A value of the batch request does not fit its attribute.",
            reason: "\(layout.name).\(cell.path) takes numbers in \(range), not \(value).",
            advice: "Correct the value, or give the attribute a larger type.", entity: entity, key: cell.path,
            userInfo: [NSValidationKeyErrorKey: cell.path])
    }

    /// Returns the error for a required property without a value.
    static func missing(_ key: String, of entity: String) -> NSError {
        CoreDataError.make(
            NSValidationMissingMandatoryPropertyError,
            description: "A batch request leaves a required property without a value.",
            reason: "\(entity).\(key) is not optional and has no default value.",
            advice: "Give every row a value for \(key), or make it optional in the model.", entity: entity, key: key,
            userInfo: [NSValidationKeyErrorKey: key])
    }

    private func mismatch(_ value: Any?, _ cell: EntityLayout.Cell) -> NSError {
        let wanted = layout.traits.valueClassName(of: cell) ?? "a value its transformer takes"
        return CoreDataError.make(
            NSManagedObjectValidationError, description: "A value of the batch request does not fit its attribute.",
            reason: "Unacceptable type of value for attribute: property = \"\(cell.path)\"; desired type = \(wanted); "
                + "given type = \(value.map { "\(type(of: $0))" } ?? "nil").",
            advice: "Convert the value before giving it to the request.", entity: entity, key: cell.path,
            userInfo: [NSValidationKeyErrorKey: cell.path])
    }
}

extension CellKind {
    /// The range of an integer attribute; nil for other kinds.
    var integerRange: ClosedRange<Int64>? {
        switch self {
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int64: Int64.min...Int64.max
        default: nil
        }
    }
}
