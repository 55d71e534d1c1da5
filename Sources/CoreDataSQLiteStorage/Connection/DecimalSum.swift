import CCoreDataSQLite
import Foundation
import PredicateFormat

/// `CDSum`, the sum of decimals as they are stored, digit by digit and not in doubles; 0 for none.
///
/// A sum is an integer or a floating-point number where that is the sum exactly, else the text of its digits.
final class DecimalSum {
    static func register(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, "CDSum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
            { call, _, arguments in
                guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
                let size = Int32(MemoryLayout<Unmanaged<DecimalSum>?>.size)
                guard let memory = sqlite3_aggregate_context(call, size) else {
                    return sqlite3_result_error_nomem(call)
                }
                // SQLite gives the memory of a new group filled with zeros.
                let place = memory.assumingMemoryBound(to: Unmanaged<DecimalSum>?.self)
                if place.pointee == nil { place.pointee = .passRetained(DecimalSum()) }
                place.pointee?._withUnsafeGuaranteedRef { $0.add(value) }
            },
            { call in
                guard let memory = sqlite3_aggregate_context(call, 0),
                    let sum = memory.assumingMemoryBound(to: Unmanaged<DecimalSum>?.self).pointee?.takeRetainedValue()
                else { return sqlite3_result_int64(call, 0) }
                DecimalSum.give(sum.total, to: call)
            }, nil)
    }

    /// What was added in hundredths, say: a number for each count of digits after the point.
    private var units = [Int64](repeating: 0, count: powers.count)
    /// What was not, or is too large for that.
    private var rest: Decimal = 0

    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6]
    /// Decimals of 15 digits are told apart by their doubles.
    private static let largestUnits = 1e15

    private func add(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: add(sqlite3_value_int64(value), 0)
        case SQLITE_FLOAT:
            let real = sqlite3_value_double(value)
            for places in 1..<Self.powers.count {
                let scaled = (real * Self.powers[places]).rounded()
                guard abs(scaled) < Self.largestUnits else { break }
                if scaled / Self.powers[places] == real { return add(Int64(scaled), places) }
            }
            rest += Decimal(shortest: real) ?? .nan
        default: rest += Self.decimal(value) ?? 0
        }
    }

    private func add(_ value: Int64, _ places: Int) {
        let (sum, overflows) = units[places].addingReportingOverflow(value)
        if overflows { rest += Decimal(value) * Decimal(sign: .plus, exponent: -places, significand: 1) }
        if !overflows { units[places] = sum }
    }

    private var total: Decimal {
        units.indices.reduce(rest) { $0 + Decimal(units[$1]) * Decimal(sign: .plus, exponent: -$1, significand: 1) }
    }

    // MARK: Values

    /// The decimal in a value as it is stored or given by ``give(_:to:)``; nil for NULL and what is none.
    static func decimal(_ value: OpaquePointer?) -> Decimal? {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: Decimal(shortest: sqlite3_value_double(value))
        case SQLITE_TEXT: sqlite3_value_text(value).flatMap { DecimalCoding.decimal(String(cString: $0)) }
        default: nil
        }
    }

    /// Gives a decimal to SQLite with all its digits.
    static func give(_ decimal: Decimal, to call: OpaquePointer?) {
        switch DecimalCoding.stored(decimal) {
        case .integer(let integer): sqlite3_result_int64(call, integer)
        case .real(let real) where Decimal(shortest: real) == decimal: sqlite3_result_double(call, real)
        default:
            let text = decimal.isNaN ? DecimalCoding.notANumber : decimal.description
            sqlite3_result_text(call, text, -1, SQLiteStatement.copied)
        }
    }
}
