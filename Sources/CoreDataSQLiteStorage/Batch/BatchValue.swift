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
        switch try BatchValueCheck(layout).encoded(value, for: cell) {
        case .bits(let bits):
            switch cell.kind {
            case .double, .float, .date: try statement.bind(Double(bitPattern: bits), at: index)
            default: try statement.bind(Int64(bitPattern: bits), at: index)
            }
        case .bytes(let data):
            switch cell.kind {
            case .string, .uri: try data.withUnsafeBytes { try statement.bindText(copying: $0, at: index) }
            case .decimal: try bindDecimal(data, statement, index)
            case .data where isExternal: try statement.bind(try files.store(data), at: index)
            default: try statement.bind(data, at: index)
            }
        case .absent, .boxed, .mismatch: try statement.bindNull(at: index)
        }
    }

    private func bindDecimal(_ data: Data, _ statement: SQLiteStatement, _ index: Int32) throws {
        switch DecimalCoding.stored(data.withUnsafeBytes { CellCoding.loadDecimal($0) }) {
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .notANumber: try statement.bind(DecimalCoding.notANumber, at: index)
        }
    }
}
