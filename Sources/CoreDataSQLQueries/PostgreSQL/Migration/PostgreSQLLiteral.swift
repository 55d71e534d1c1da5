import CoreDataRowStorage
import Foundation

/// Default values as constants in SQL.
enum PostgreSQLLiteral {
    /// Returns the constant of an attribute's default value in its column; nil if there is none.
    ///
    /// - Throws: An error for a value that PostgreSQL does not have.
    static func defaultValue(of cell: EntityLayout.Cell, in layout: EntityLayout, _ place: CellColumns) throws
        -> String?
    {
        guard let value = layout.traits.startingValue(of: cell).object else { return nil }
        switch CellCoding.encode(value, as: cell) {
        case .bits(let bits):
            guard let literal = literal(bits, cell.kind, place) else {
                throw refusal(cell, layout, "PostgreSQL has no such date")
            }
            return literal
        case .bytes(let bytes): return try literal(bytes, value, cell, layout)
        case .absent, .boxed, .mismatch: return nil
        }
    }

    private static func literal(_ bits: UInt64, _ kind: CellKind, _ place: CellColumns) -> String? {
        let double = Double(bitPattern: bits)
        switch kind {
        case .boolean: return bits != 0 ? "true" : "false"
        case .double: return "'\(number(double))'::double precision"
        case .float: return "'\(number(Float(double)))'::real"
        case .date where place.isInSeconds: return "'\(number(double))'::double precision"
        case .date: return MicrosecondDate.count(double).map { "'\(text(ofDate: $0))'::timestamptz" }
        default:
            let integer = Int64(bitPattern: bits)
            return integer < 0 ? "'\(integer)'::bigint" : "\(integer)"
        }
    }

    private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ number: Number) -> String {
        number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }

    private static func literal(
        _ bytes: Data, _ value: Any, _ cell: EntityLayout.Cell, _ layout: EntityLayout
    ) throws -> String {
        switch cell.kind {
        case .string, .uri:
            guard !bytes.contains(0) else { throw refusal(cell, layout, "PostgreSQL has no text with U+0000") }
            return PostgreSQLName.literal(String(decoding: bytes, as: UTF8.self))
        case .uuid: return "'\(value as? UUID ?? UUID())'::uuid"
        case .decimal:
            let decimal = bytes.withUnsafeBytes { CellCoding.loadDecimal($0) }
            return "'\(decimal.isNaN ? "NaN" : "\(decimal)")'::numeric"
        default:
            let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "decode('\(digits)', 'hex')"
        }
    }

    private static func refusal(_ cell: EntityLayout.Cell, _ layout: EntityLayout, _ words: String) -> NSError {
        UnsupportedQuery.make(
            "\(words), as the default value of \(layout.name).\(cell.path)", advice: "Change the default value.",
            entity: layout.name)
    }

    /// Returns a date in UTC.
    ///
    /// - Parameter count: The microseconds since 2000.
    static func text(ofDate count: Int64) -> String {
        let day: Int64 = 86_400_000_000
        var (days, time) = count.quotientAndRemainder(dividingBy: day)
        if time < 0 { (days, time) = (days - 1, time + day) }
        // The days since 1 March of the year 0, in cycles of 400 years.
        let number = days + 10_957 + 719_468
        let cycle = (number >= 0 ? number : number - 146_096) / 146_097
        let rest = number - cycle * 146_097
        let year = (rest - rest / 1460 + rest / 36_524 - rest / 146_096) / 365
        let dayOfYear = rest - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let (calendarDay, calendarMonth) = (dayOfYear - (153 * month + 2) / 5 + 1, month < 10 ? month + 3 : month - 9)
        let calendarYear = year + cycle * 400 + (calendarMonth <= 2 ? 1 : 0)
        func padded(_ number: Int64, _ length: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, length - digits.count)) + digits
        }
        let seconds = time / 1_000_000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        let shownYear = calendarYear > 0 ? calendarYear : 1 - calendarYear
        return "\(padded(shownYear, 4))-\(padded(calendarMonth, 2))-\(padded(calendarDay, 2)) "
            + "\(clock).\(padded(time % 1_000_000, 6))+00\(calendarYear > 0 ? "" : " BC")"
    }
}
