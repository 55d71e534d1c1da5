import Foundation
import PredicateFormat

/// Conversions of decimals to SQLite's types, which have no decimal: integers stay exact, other values become doubles, and
/// NaN becomes the text "NaN", as in Apple's files.
enum DecimalCoding {
    enum Stored {
        case integer(Int64)
        case real(Double)
        case notANumber
    }

    /// The text of NaN.
    static let notANumber = "NaN"

    static func stored(_ value: Decimal) -> Stored {
        if value.isNaN { return .notANumber }
        let text = value.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? .nan)
    }

    /// Returns the decimal in a text column; nil if the text is not a number.
    static func decimal(_ text: String) -> Decimal? {
        text == notANumber ? .nan : Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Returns the decimal that SQLite has computed from stored decimals, such as their sum, without the error of binary
    /// arithmetic: rounded to 15 digits if that is within the rounding error.
    static func computed(_ value: Double) -> Decimal? {
        let text = String(format: "%.15g", value)
        if let rounded = Double(text), (rounded - value).magnitude <= 2 * value.ulp {
            return Decimal(shortest: rounded)
        }
        return Decimal(shortest: value)
    }
}
