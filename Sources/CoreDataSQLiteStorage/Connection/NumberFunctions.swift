import CCoreDataSQLite
import Foundation

/// The numeric functions that expressions need and SQLite may lack.
enum NumberFunctions {
    static let all: [SQLFunctions.Definition] = [
        .init("CDAbs", 1, absolute),
        .init("CDSqrt", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.squareRoot() } }),
        .init("CDLog", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { log10($0) } }),
        .init("CDLn", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { log($0) } }),
        .init("CDExp", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { exp($0) } }),
        .init("CDFloor", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.down) } }),
        .init("CDCeiling", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.up) } }),
        .init(
            "CDTrunc", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.towardZero) } }),
        .init("CDDecimal", 1, decimal), .init("CDNumber", 1, number), .init("CDRatio", 2, ratio),
        .init(
            "CDPower", 2,
            { call, _, arguments in
                guard let arguments, sqlite3_value_type(arguments[1]) != SQLITE_NULL else {
                    return sqlite3_result_null(call)
                }
                let exponent = sqlite3_value_double(arguments[1])
                NumberFunctions.apply(call, arguments) { pow($0, exponent) }
            }
        ),
    ]

    /// Like SQLite's `abs`, but returns a floating-point number for the smallest integer, where SQLite's throws an error.
    private static let absolute: SQLFunctions.Function = { call, _, arguments in
        guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(call) }
        let integer = sqlite3_value_int64(arguments[0])
        if sqlite3_value_type(arguments[0]) == SQLITE_INTEGER, integer != .min {
            sqlite3_result_int64(call, abs(integer))
        } else {
            sqlite3_result_double(call, abs(sqlite3_value_double(arguments[0])))
        }
    }

    /// Rounds a decimal that SQLite computed in doubles to the digits that are exact.
    private static let decimal: SQLFunctions.Function = { call, _, arguments in
        guard let value = arguments?[0] else { return sqlite3_result_null(call) }
        guard sqlite3_value_type(value) == SQLITE_FLOAT else { return sqlite3_result_value(call, value) }
        let real = sqlite3_value_double(value)
        switch DecimalCoding.computed(real).map(DecimalCoding.stored) {
        case .integer(let integer): sqlite3_result_int64(call, integer)
        case .real(let real): sqlite3_result_double(call, real)
        case .notANumber, nil: sqlite3_result_double(call, real)
        }
    }

    /// Converts a decimal with all its digits to its stored form, which SQLite can compare.
    private static let number: SQLFunctions.Function = { call, _, arguments in
        guard let value = arguments?[0] else { return sqlite3_result_null(call) }
        guard sqlite3_value_type(value) == SQLITE_TEXT, let exact = DecimalSum.decimal(value), !exact.isNaN else {
            return sqlite3_result_value(call, value)
        }
        switch DecimalCoding.stored(exact) {
        case .integer(let integer): sqlite3_result_int64(call, integer)
        case .real(let real): sqlite3_result_double(call, real)
        case .notANumber: sqlite3_result_value(call, value)
        }
    }

    /// Divides a sum of decimals by their count, exactly; NULL for no values.
    private static let ratio: SQLFunctions.Function = { call, _, arguments in
        guard let arguments, let sum = DecimalSum.decimal(arguments[0]) else { return sqlite3_result_null(call) }
        let count = sqlite3_value_int64(arguments[1])
        guard count > 0 else { return sqlite3_result_null(call) }
        DecimalSum.give(sum / Decimal(count), to: call)
    }

    /// Applies `body` to the argument and returns its result to SQLite; NULL yields NULL.
    private static func apply(
        _ call: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ body: (Double) -> Double
    ) {
        guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(call) }
        sqlite3_result_double(call, body(sqlite3_value_double(arguments[0])))
    }
}
