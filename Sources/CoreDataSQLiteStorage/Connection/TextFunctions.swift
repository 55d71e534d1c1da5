import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import PredicateFormat

/// String operators and functions on UTF-8 bytes.
enum TextFunctions {
    static let all: [SQLFunctions.Definition] = [
        .init("CDMatch", 2, match), .init("CDMatchText", 4, matchText), .init("CDFold", 2, fold),
        .init("CDText", 1, numberText),
        .init(
            "CDUpper", 1,
            { call, _, arguments in
                TextFunctions.convert(call, arguments) { $0.uppercased() }
            }
        ),
        .init(
            "CDLower", 1,
            { call, _, arguments in
                TextFunctions.convert(call, arguments) { $0.lowercased() }
            }
        ),
        .init(
            "CDCanonical", 1,
            { call, _, arguments in
                guard let text = TextFunctions.text(arguments?[0]) else { return sqlite3_result_null(call) }
                TextFunctions.give(StringFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]), to: call)
            }
        ),
        .init(
            "CDLength", 1,
            { call, _, arguments in
                guard let text = TextFunctions.text(arguments?[0]) else { return sqlite3_result_null(call) }
                sqlite3_result_int64(call, Int64(String(decoding: text, as: UTF8.self).utf16.count))
            }
        ),
    ]

    /// Returns the text of an argument; nil for NULL.
    fileprivate static func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    fileprivate static func give(_ bytes: [UInt8], to call: OpaquePointer?) {
        bytes.withUnsafeBytes {
            if let start = $0.baseAddress?.assumingMemoryBound(to: CChar.self) {
                sqlite3_result_text64(
                    call, start, UInt64($0.count), SQLiteStatement.copied, UInt8(SQLITE_UTF8))
            } else {
                sqlite3_result_text64(call, "", 0, SQLiteStatement.copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    private static func convert(
        _ call: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ body: (String) -> String
    ) {
        guard let text = text(arguments?[0]) else { return sqlite3_result_null(call) }
        give(Array(body(String(decoding: text, as: UTF8.self)).utf8), to: call)
    }

    /// `CDMatch(text, prepared)`: 0 for NULL, as Apple's search function.
    private static let match: SQLFunctions.Function = { call, _, arguments in
        guard let arguments, let text = TextFunctions.text(arguments[0]),
            let prepared = sqlite3_value_pointer(arguments[1], PreparedMatcher.pointerType)
        else { return sqlite3_result_int(call, 0) }
        do {
            let matches = try Unmanaged<PreparedMatcher>.fromOpaque(prepared)._withUnsafeGuaranteedRef {
                try $0.matcher.matches(utf8: text)
            }
            sqlite3_result_int(call, matches ? 1 : 0)
        } catch {
            sqlite3_result_error(call, "\(error)", -1)
        }
    }

    /// `CDMatchText(text, needle, operator, options)`, for needles that differ by row.
    private static let matchText: SQLFunctions.Function = { call, _, arguments in
        guard let arguments, let text = TextFunctions.text(arguments[0]), let needle = TextFunctions.text(arguments[1]),
            let comparison = ComparisonOperator(rawValue: UInt(sqlite3_value_int(arguments[2])))
        else { return sqlite3_result_int(call, 0) }
        let options = StringComparisonOptions(rawValue: UInt(sqlite3_value_int(arguments[3])))
        do {
            let matcher = try StringMatcher(
                comparison, needle: String(decoding: needle, as: UTF8.self), options: options,
                budget: comparison == .matches ? TextFunctions.budget(of: call) : nil)
            sqlite3_result_int(call, try matcher.matches(utf8: text) ? 1 : 0)
        } catch {
            sqlite3_result_error(call, "\(error)", -1)
        }
    }

    /// Returns the budget that the regular expressions of all rows share. SQLite keeps it as auxiliary data of the operator
    /// argument, a constant, until the statement ends.
    private static func budget(of call: OpaquePointer?) -> MatchingBudget {
        if let kept = sqlite3_get_auxdata(call, 2) {
            return Unmanaged<MatchingBudget>.fromOpaque(kept).takeUnretainedValue()
        }
        let budget = MatchingBudget()
        // If SQLite does not keep it, SQLite releases it immediately.
        sqlite3_set_auxdata(call, 2, Unmanaged.passRetained(budget).toOpaque()) {
            Unmanaged<MatchingBudget>.fromOpaque($0!).release()
        }
        return budget
    }

    /// `CDText(value)`: a number in the form that evaluation in memory uses, where SQLite's form differs.
    private static let numberText: SQLFunctions.Function = { call, _, arguments in
        guard let arguments else { return sqlite3_result_null(call) }
        guard sqlite3_value_type(arguments[0]) == SQLITE_FLOAT else {
            guard let text = TextFunctions.text(arguments[0]) else { return sqlite3_result_null(call) }
            return TextFunctions.give(Array(text), to: call)
        }
        TextFunctions.give(Array(ConditionType.text(sqlite3_value_double(arguments[0])).utf8), to: call)
    }

    /// `CDFold(text, options)`: the text, folded so that texts which the options treat as equal become equal.
    private static let fold: SQLFunctions.Function = { call, _, arguments in
        guard let arguments, let text = TextFunctions.text(arguments[0]) else { return sqlite3_result_null(call) }
        let options = StringComparisonOptions(rawValue: UInt(sqlite3_value_int(arguments[1])))
        TextFunctions.give(StringFolding.fold(text, options), to: call)
    }
}
