import CSQLite
import Foundation

/// The numeric functions of expressions that SQLite may lack.
enum NumberFunctions {
    static let all: [SQLFunctions.Definition] = [
        .init("CDSqrt", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.squareRoot() } }),
        .init("CDLog", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { log10($0) } }),
        .init("CDLn", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { log($0) } }),
        .init("CDExp", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { exp($0) } }),
        .init("CDFloor", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.down) } }),
        .init("CDCeiling", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.up) } }),
        .init(
            "CDTrunc", 1, { call, _, arguments in NumberFunctions.apply(call, arguments) { $0.rounded(.towardZero) } }),
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

    /// NULL stays NULL.
    private static func apply(
        _ call: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ body: (Double) -> Double
    ) {
        guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(call) }
        sqlite3_result_double(call, body(sqlite3_value_double(arguments[0])))
    }
}
