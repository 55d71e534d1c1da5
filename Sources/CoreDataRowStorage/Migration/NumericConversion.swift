import Foundation
import ModelFormat

/// The conversion of an attribute's values to another numeric type, in SQL and object by object.
///
/// A value fits its new type if the conversion loses nothing, except for the digits that a Float cannot hold of a Double.
package struct NumericConversion: Hashable {
    package let source: AttributeType
    package let destination: AttributeType

    /// Creates the conversion; returns nil if the types are the same, or values of one cannot be converted to the other.
    package init?(from source: AttributeType, to destination: AttributeType) {
        guard source.converts(to: destination) else { return nil }
        self.source = source
        self.destination = destination
    }

    /// Returns true if the new type can hold the value.
    package func fits(_ value: NSNumber) -> Bool {
        let double = value.doubleValue
        switch destination {
        case .integer16, .integer32, .integer64:
            return source.isFloatingPoint
                ? destination.integers.contains(double: double)
                : destination.integers.contains(value.int64Value)
        case .double: return source.isFloatingPoint || Double(exactly: value.int64Value) != nil
        case .float:
            return source.isFloatingPoint
                ? !double.isFinite || Float(double).isFinite : Float(exactly: value.int64Value) != nil
        default: return true
        }
    }

    // MARK: SQL

    /// Returns the SQL of a column's new value.
    package func expression(_ column: String) -> String {
        switch destination {
        case .float where source == .double: "\(Self.rounding)(\(column))"
        case .double, .float: source.isFloatingPoint ? column : "CAST(\(column) AS REAL)"
        default: source.isFloatingPoint ? "CAST(\(column) AS INTEGER)" : column
        }
    }

    /// Returns an SQL condition that is true for all values that do not fit, and for few others; nil if all values fit.
    package func suspicion(_ column: String) -> String? {
        switch destination {
        case .integer16, .integer32, .integer64:
            let range = destination.integers
            if source.isFloatingPoint {
                return "(\(column) <> CAST(\(column) AS INTEGER) "
                    + "OR \(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound))"
            }
            guard source != .boolean, !range.contains(source.integers.lowerBound) else { return nil }
            return "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
        case .double:
            guard source == .integer64 else { return nil }
            return "\(column) NOT BETWEEN \(-1 << 53) AND \(1 << 53)"
        case .float:
            switch source {
            case .integer32, .integer64:
                return "\(column) NOT BETWEEN \(-1 << 24) AND \(1 << 24)"
            case .double:
                return "\(column) NOT BETWEEN -\(Float.greatestFiniteMagnitude) AND \(Float.greatestFiniteMagnitude)"
            default: return nil
            }
        default: return nil
        }
    }

    /// The SQL function that rounds to the nearest Float.
    package static let rounding = "CDFloat"
}

extension AttributeType {
    /// The range of integers of the type; all integers for types that have no range.
    package var integers: ClosedRange<Int64> {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }
}

extension ClosedRange<Int64> {
    /// Returns true if the number is an integer in this range.
    package func contains(double: Double) -> Bool { Int64(exactly: double).map(contains) ?? false }
}
