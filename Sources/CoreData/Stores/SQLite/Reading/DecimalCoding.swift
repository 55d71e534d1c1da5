import Foundation

/// Decimals between Foundation's form and SQLite's, which has none of its own: integers stay exact, the rest becomes a
/// double, as in Apple's files.
enum DecimalCoding {
    enum Stored {
        case integer(Int64)
        case real(Double)
    }

    /// The decimal with the fewest digits that reads back as this double.
    static func decimal(_ value: Double) -> Decimal? {
        if let integer = Int64(exactly: value) { return Decimal(integer) }
        guard value.isFinite else { return value.isNaN ? Decimal.nan : nil }
        return Decimal(string: value.description)
    }

    static func stored(_ value: Decimal) -> Stored {
        let text = value.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? .nan)
    }
}
