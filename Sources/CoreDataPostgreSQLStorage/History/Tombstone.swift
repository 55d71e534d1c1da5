#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The values that history preserves of a deleted row: a JSON object with the values as texts.
enum Tombstone {
    /// Returns the expression for a column's value as the text that ``value(_:of:)`` reads.
    static func text(of column: String, _ cell: EntityLayout.Cell, isInSeconds: Bool) -> String {
        switch cell.kind {
        case .date where !isInSeconds: "extract(epoch FROM \(column))::text"
        case .data, .transformable: "encode(\(column), 'hex')"
        default: "\(column)::text"
        }
    }

    /// Returns the values of a deleted row, by attribute; nil if there are none.
    ///
    /// - Parameter bytes: A value of type `jsonb`, in binary form.
    static func values(_ bytes: UnsafeRawBufferPointer, of layout: EntityLayout) throws -> [AnyHashable: Any]? {
        guard bytes.count > 1, bytes[0] == 1,
            let texts = try? JSONSerialization.jsonObject(with: Data(bytes.dropFirst())) as? [String: Any]
        else { throw BinaryValue.unreadable("a tombstone of \(bytes.count) bytes") }
        var values: [AnyHashable: Any] = [:]
        for cell in WritePlans.preserved(layout) {
            guard let text = texts[cell.path] as? String else { continue }
            let isInSeconds = layout.databaseTraits(of: cell).keepsWholeDates
            // A value of a transformer that cannot read it any more is left out, as from the history of SQLite stores.
            if let value = value(text, of: cell, isInSeconds: isInSeconds) { values[cell.name] = value }
        }
        return values.isEmpty ? nil : values
    }

    private static func value(_ text: String, of cell: EntityLayout.Cell, isInSeconds: Bool) -> Any? {
        switch cell.kind {
        case .int16: Int16(text).map { NSNumber(value: $0) }
        case .int32: Int32(text).map { NSNumber(value: $0) }
        case .int64: Int64(text).map { NSNumber(value: $0) }
        case .boolean: NSNumber(value: text == "true")
        case .double: Double(text).map { NSNumber(value: $0) }
        case .float: Float(text).map { NSNumber(value: $0) }
        case .decimal: NSDecimalNumber(string: text, locale: Locale(identifier: "en_US_POSIX"))
        case .string: text
        case .uri: URL(string: text)
        case .uuid: UUID(uuidString: text)
        case .date: date(text, isInSeconds: isInSeconds)
        case .data: data(text)
        case .transformable: data(text).flatMap { ValueType(cell).coder?.value(from: $0) }
        case .boxed, .reference: nil
        }
    }

    private static func date(_ text: String, isInSeconds: Bool) -> Date? {
        if isInSeconds { return Double(text).map { Date(timeIntervalSinceReferenceDate: $0) } }
        // Seconds since 1970 with six digits of microseconds, without rounding.
        guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else { return nil }
        let microseconds = NSDecimalNumber(decimal: decimal * 1_000_000).int64Value
        return Date(timeIntervalSinceReferenceDate: MicrosecondDate.seconds(microseconds - secondsTo2000 * 1_000_000))
    }

    /// The seconds from 1970 to the server's epoch.
    private static let secondsTo2000: Int64 = 946_684_800

    private static func data(_ text: String) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var data = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            data.append(byte)
        }
        return data
    }
}
#endif
