import CoreDataRowStorage
import ModelFormat

/// The conversion of a column's values to another type.
struct ColumnConversion: Hashable {
    let source: String
    let destination: String
    let numeric: NumericConversion?

    /// The seconds from 1970 to the reference date, 2001.
    static let epoch = 978_307_200
    /// Half of the smallest Float above zero: the server refuses numbers that it would round to zero.
    private static let vanishing = "7.006492321624085e-46"

    /// Returns the SQL of the new value.
    func sql(_ value: String) -> String {
        if let numeric {
            if numeric.source == .boolean { return "\(value)::integer::\(destination)" }
            if numeric.source == .double, numeric.destination == .float {
                return "CASE WHEN abs(\(value)) <= \(Self.vanishing) THEN 0 ELSE \(value)::real END"
            }
        }
        switch (source, destination) {
        case ("timestamptz", "double precision"):
            return "(extract(epoch FROM \(value)) - \(Self.epoch))::double precision"
        case ("double precision", "timestamptz"): return "to_timestamp(\(value) + \(Self.epoch))"
        default: return "\(value)::\(destination)"
        }
    }
}

extension NumericConversion {
    /// Returns an SQL condition in PostgreSQL that is true for all values that do not fit, and for few others; nil if all
    /// values fit.
    func serverSuspicion(_ column: String) -> String? {
        let value = "\(column)::double precision"
        switch destination {
        case .integer16, .integer32, .integer64:
            let range = destination.integers
            if source.isFloatingPoint {
                let upper = destination == .integer64 ? ">= 9223372036854775808" : "> \(range.upperBound)"
                return "(\(column) <> trunc(\(value)) OR \(value) < \(range.lowerBound) OR \(value) \(upper))"
            }
            guard source != .boolean, !range.contains(source.integers.lowerBound) else { return nil }
            return "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
        case .double:
            guard source == .integer64 else { return nil }
            return "\(column) NOT BETWEEN \(-1 << 53) AND \(1 << 53)"
        case .float:
            switch source {
            case .integer32, .integer64: return "\(column) NOT BETWEEN \(-1 << 24) AND \(1 << 24)"
            case .double: return "abs(\(value)) > \(Float.greatestFiniteMagnitude)"
            default: return nil
            }
        default: return nil
        }
    }
}
