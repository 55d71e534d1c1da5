#if canImport(CoreDataSQLiteStorage)
import CCoreDataSQLite
import CoreDataModelLayouts
import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import Foundation
import ModelFormat

/// Converts one column of results to values by the type of its attribute.
final class ValueReader {
    private let kind: CellKind?
    private let isExternal: Bool
    private let isStored: Bool
    private let className: String?
    private let files: ExternalFiles

    init(_ type: ValueType, _ files: ExternalFiles) {
        kind = type.kind
        isExternal = type.isExternal
        isStored = type.isStored
        className = (type.coder as? TransformableDescription)?.className
        self.files = files
    }

    /// Returns the value in a column of the current row.
    func value(_ statement: SQLiteStatement, _ column: Int32) -> StoreQuery.Value {
        let stored = statement.type(column)
        if stored == SQLITE_NULL { return .none }
        switch kind {
        case .int16, .int32, .int64:
            guard stored == SQLITE_INTEGER || stored == SQLITE_FLOAT else { break }
            return .integer(narrowed(statement.integer(column)))
        case .boolean:
            guard stored == SQLITE_INTEGER || stored == SQLITE_FLOAT else { break }
            return .boolean(statement.integer(column) != 0)
        case .double:
            guard stored == SQLITE_INTEGER || stored == SQLITE_FLOAT else { break }
            return .double(statement.double(column))
        case .float:
            guard stored == SQLITE_INTEGER || stored == SQLITE_FLOAT else { break }
            return .double(Double(Float(statement.double(column))))
        case .date:
            guard stored == SQLITE_INTEGER || stored == SQLITE_FLOAT else { break }
            return .date(Date(timeIntervalSinceReferenceDate: statement.double(column)))
        case .string: return .string(Self.text(statement, column))
        case .uri:
            let text = Self.text(statement, column)
            return URL(string: text).map { .url($0) } ?? .unreadable(reason: "The text \"\(text)\" is not a URL.")
        case .decimal:
            guard stored != SQLITE_BLOB,
                let decimal = ResultValue.decimal(statement, column, stored, isStored: isStored)
            else { break }
            return .decimal(decimal)
        case .data: return data(statement.bytes(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .uuid:
            guard let bytes = statement.bytes(column), bytes.count == 16, stored == SQLITE_BLOB else { break }
            return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .transformable:
            let bytes = statement.bytes(column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            return .transformable(className: className ?? Self.archivedClass(bytes), byteCount: bytes.count)
        case .boxed, .reference, nil: return natural(statement, column, stored)
        }
        return .unreadable(reason: "The column contains \(Self.name(of: stored, statement, column)).")
    }

    /// Returns the value in a column of the current row without a copy, as far as possible.
    func current(_ statement: SQLiteStatement, _ column: Int32) -> CurrentRow.Value {
        switch kind {
        case .string where statement.type(column) == SQLITE_TEXT:
            guard let start = sqlite3_column_text(statement.pointer, column) else { break }
            let count = Int(sqlite3_column_bytes(statement.pointer, column))
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            if TextValidation.isValid(bytes) { return .text(bytes) }
        case .decimal where isStored && statement.type(column) == SQLITE_FLOAT:
            let number = statement.double(column)
            // Others are written with an exponent, and a decimal number is not.
            if 0.001..<1e15 ~= number.magnitude { return .decimal(number) }
        default: break
        }
        return .other(value(statement, column))
    }

    /// Returns an integer as the attribute's type holds it.
    private func narrowed(_ value: Int64) -> Int64 {
        switch kind {
        case .int16: Int64(Int16(truncatingIfNeeded: value))
        case .int32: Int64(Int32(truncatingIfNeeded: value))
        default: value
        }
    }

    static func text(_ statement: SQLiteStatement, _ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement.pointer, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement.pointer, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private func data(_ bytes: UnsafeRawBufferPointer) -> StoreQuery.Value {
        guard isExternal else { return .data(Data(bytes)) }
        do {
            return .data(try files.data(bytes))
        } catch let missing as ValueFolder.Missing {
            return .missingFile(name: missing.file.lastPathComponent)
        } catch {
            return .unreadable(reason: "The value's file cannot be read: \(error.localizedDescription)")
        }
    }

    private func natural(_ statement: SQLiteStatement, _ column: Int32, _ stored: Int32) -> StoreQuery.Value {
        switch stored {
        case SQLITE_INTEGER: .integer(statement.integer(column))
        case SQLITE_FLOAT: .double(statement.double(column))
        case SQLITE_TEXT: .string(Self.text(statement, column))
        default: .data(statement.data(column) ?? Data())
        }
    }

    private static func name(of stored: Int32, _ statement: SQLiteStatement, _ column: Int32) -> String {
        switch stored {
        case SQLITE_INTEGER: return "the integer \(statement.integer(column))"
        case SQLITE_FLOAT: return "the number \(statement.double(column))"
        case SQLITE_TEXT:
            let text = text(statement, column)
            return "the text \"\(text.count > 40 ? text.prefix(40) + "…" : text)\""
        default: return "\(statement.bytes(column)?.count ?? 0) bytes"
        }
    }

    /// The size up to which archives are read for the name of a class.
    private static let archiveLimit = 1 << 20

    /// Returns the class of the object in a keyed archive; nil for other bytes.
    private static func archivedClass(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count <= archiveLimit, bytes.starts(with: "bplist".utf8) else { return nil }
        return ObjectArchive.rootClassName(in: Data(bytes))
    }
}
#endif
