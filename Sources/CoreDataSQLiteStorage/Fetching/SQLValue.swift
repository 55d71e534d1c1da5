import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// A constant as a value of SQLite's storage classes.
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(ContiguousArray<UInt8>)
    case string(String)
    case blob(Data)

    /// Converts a value to the form in which an attribute of this kind is stored.
    ///
    /// - Throws: an error for values that have no form in SQL.
    package init(_ value: Any?, _ kind: CellKind?) throws {
        guard let value else {
            self = .null
            return
        }
        switch kind {
        case .uuid:
            if let text = Self.text(of: value), let uuid = UUID(uuidString: text) {
                self = Self.bytes(uuid)
                return
            }
        case .string, .uri:
            if let uuid = value as? UUID {
                self = .string(uuid.uuidString)
                return
            }
        default: break
        }
        self = try Self.plain(value)
    }

    /// Returns the text of a string of any type, or of a character; nil for other values.
    static func text(of value: Any?) -> String? {
        switch value {
        case let text as String: text
        case let text as any StringProtocol: String(text)
        case let character as Character: String(character)
        default: nil
        }
    }

    private static func plain(_ value: Any) throws -> SQLValue {
        // Casting a number object to a Swift number may round it.
        if let object = ClassInstance.of(value) as? NSNumber { return number(object) }
        return switch value {
        case let text as String: .string(text)
        case let number as Int: .integer(Int64(number))
        case let number as Int64: .integer(number)
        case let number as Double: .real(number)
        case let date as Date: .real(date.timeIntervalSinceReferenceDate)
        case let flag as Bool: .integer(flag ? 1 : 0)
        case let uuid as UUID: bytes(uuid)
        case let data as Data: .blob(data)
        case let url as URL: .string(url.absoluteString)
        case let decimal as Decimal: Self.decimal(decimal)
        case let number as any BinaryInteger: .integer(Int64(clamping: number))
        case let number as Float: .real(Double(number))
        case is NSNull: .null
        case let text as any StringProtocol: .string(String(text))
        case let character as Character: .string(String(character))
        case is any OptionalValue: try OptionalContents.unwrapped(value).map(plain) ?? .null
        default: throw UnsupportedQuery.expression("\(value) of the type \(type(of: value))", kind: "constant")
        }
    }

    private static func number(_ number: NSNumber) -> SQLValue {
        if let exact = number as? NSDecimalNumber { return decimal(exact.decimalValue) }
        return switch number.objCType.pointee {
        case CChar(bitPattern: UInt8(ascii: "d")), CChar(bitPattern: UInt8(ascii: "f")): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    private static func decimal(_ decimal: Decimal) -> SQLValue {
        switch DecimalCoding.stored(decimal) {
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .notANumber: .string(DecimalCoding.notANumber)
        }
    }

    private static func bytes(_ uuid: UUID) -> SQLValue { .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
}
