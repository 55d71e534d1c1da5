import CCoreDataSQLite
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// Conversions of query results to the values that key-value coding returns.
package enum ResultValue {
    static func decode(
        _ statement: SQLiteStatement, _ column: Int32, _ type: ValueType, _ files: ExternalFiles
    ) throws -> Any? {
        let stored = statement.type(column)
        guard stored != SQLITE_NULL else { return nil }
        switch type.kind {
        case .int16: return NSNumber(value: Int16(truncatingIfNeeded: statement.integer(column)))
        case .int32: return NSNumber(value: Int32(truncatingIfNeeded: statement.integer(column)))
        case .int64: return NSNumber(value: statement.integer(column))
        case .boolean: return NSNumber(value: statement.integer(column) != 0)
        case .double: return NSNumber(value: statement.double(column))
        case .float: return NSNumber(value: Float(statement.double(column)))
        case .date: return Date(timeIntervalSinceReferenceDate: statement.double(column))
        case .string: return statement.text(column)
        case .uri: return statement.text(column).flatMap { URL(string: $0) }
        case .decimal:
            return decimal(statement, column, stored, isStored: type.isStored).map(NSDecimalNumber.init)
        case .data:
            guard let bytes = statement.bytes(column) else { return nil }
            return type.isExternal ? try files.data(bytes) : Data(bytes)
        case .uuid:
            guard let bytes = statement.bytes(column), bytes.count == 16 else { return nil }
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        case .transformable:
            guard let data = statement.data(column), let coder = type.coder else { return nil }
            if let value = coder.value(from: data) { return value }
            guard let failure = coder.failure(in: nil) else { return nil }
            throw failure
        case .boxed, .reference, nil: return natural(statement, column, stored)
        }
    }

    /// Returns a column that is not NULL as a decimal; nil for text that is no number.
    ///
    /// - Parameters:
    ///   - stored: the type of the column's value.
    ///   - isStored: whether the value is an attribute's, and not computed.
    package static func decimal(
        _ statement: SQLiteStatement, _ column: Int32, _ stored: Int32, isStored: Bool
    ) -> Decimal? {
        switch stored {
        case SQLITE_INTEGER: Decimal(statement.integer(column))
        case SQLITE_TEXT: statement.text(column).flatMap(DecimalCoding.decimal)
        default:
            isStored ? Decimal(shortest: statement.double(column)) : DecimalCoding.computed(statement.double(column))
        }
    }

    private static func natural(_ statement: SQLiteStatement, _ column: Int32, _ stored: Int32) -> Any? {
        switch stored {
        case SQLITE_INTEGER: NSNumber(value: statement.integer(column))
        case SQLITE_FLOAT: NSNumber(value: statement.double(column))
        case SQLITE_TEXT: statement.text(column)
        default: statement.data(column)
        }
    }
}
