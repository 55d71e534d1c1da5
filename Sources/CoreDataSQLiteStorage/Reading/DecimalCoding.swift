import Foundation
import PredicateFormat

/// Decimals between Foundation's form and SQLite's, which has none of its own: integers stay exact, the rest becomes a
/// double, and what is not a number the text "NaN", as in Apple's files.
enum DecimalCoding {
    enum Stored {
        case integer(Int64)
        case real(Double)
        case notANumber
    }

    /// The text of what is not a number.
    static let notANumber = "NaN"

    static func stored(_ value: Decimal) -> Stored {
        if value.isNaN { return .notANumber }
        let text = value.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? .nan)
    }

    /// The decimal in a text column.
    static func decimal(_ text: String) -> Decimal? {
        text == notANumber ? .nan : Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// What SQLite has computed of stored decimals, such as their sum: without the digits that come of computing in doubles,
    /// where the number is as near to one of 15 digits as rounding may have brought it.
    static func computed(_ value: Double) -> Decimal? {
        let text = String(format: "%.15g", value)
        if let rounded = Double(text), (rounded - value).magnitude <= 2 * value.ulp {
            return Decimal(shortest: rounded)
        }
        return Decimal(shortest: value)
    }
}
