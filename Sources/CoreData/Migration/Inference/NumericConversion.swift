import CoreDataRowStorage
import Foundation
import ModelFormat

/// The conversion of an attribute's values to another numeric type, in SQL and object by object.
///
/// A value fits its new type if nothing of it is lost, but for the digits a Float cannot hold of a Double.
struct NumericConversion: Hashable {
    let source: NSAttributeType
    let destination: NSAttributeType

    /// nil where the types are the same, or values of the one do not become values of the other.
    init?(from source: NSAttributeType, to destination: NSAttributeType) {
        guard source.plainType.converts(to: destination.plainType) else { return nil }
        self.source = source
        self.destination = destination
    }

    /// Whether the value can be held by the new type.
    func fits(_ value: NSNumber) -> Bool {
        let double = value.doubleValue
        switch destination {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return source.isFloatingPoint
                ? destination.integers.contains(double: double)
                : destination.integers.contains(value.int64Value)
        case .doubleAttributeType: return source.isFloatingPoint || Double(exactly: value.int64Value) != nil
        case .floatAttributeType:
            return source.isFloatingPoint
                ? !double.isFinite || Float(double).isFinite : Float(exactly: value.int64Value) != nil
        default: return true
        }
    }

    // MARK: SQL

    /// The new value of a column.
    func expression(_ column: String) -> String {
        switch destination {
        case .floatAttributeType where source == .doubleAttributeType: "\(Self.rounding)(\(column))"
        case .doubleAttributeType, .floatAttributeType: source.isFloatingPoint ? column : "CAST(\(column) AS REAL)"
        default: source.isFloatingPoint ? "CAST(\(column) AS INTEGER)" : column
        }
    }

    /// A condition that values which do not fit meet, and few others; nil where all values fit.
    func suspicion(_ column: String) -> String? {
        switch destination {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            let range = destination.integers
            if source.isFloatingPoint {
                return "(\(column) <> CAST(\(column) AS INTEGER) "
                    + "OR \(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound))"
            }
            guard source != .booleanAttributeType, !range.contains(source.integers.lowerBound) else { return nil }
            return "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
        case .doubleAttributeType:
            guard source == .integer64AttributeType else { return nil }
            return "\(column) NOT BETWEEN \(-1 << 53) AND \(1 << 53)"
        case .floatAttributeType:
            switch source {
            case .integer32AttributeType, .integer64AttributeType:
                return "\(column) NOT BETWEEN \(-1 << 24) AND \(1 << 24)"
            case .doubleAttributeType:
                return "\(column) NOT BETWEEN -\(Float.greatestFiniteMagnitude) AND \(Float.greatestFiniteMagnitude)"
            default: return nil
            }
        default: return nil
        }
    }

    /// The SQL function that rounds to the nearest Float.
    static let rounding = "CDFloat"
}

extension NSAttributeType {
    /// The type as model files have it.
    var plainType: AttributeType { AttributeType(rawValue: UInt32(rawValue)) ?? .undefined }

    /// The type as Xcode's editor names it.
    var words: String { plainType.words }

    var isFloatingPoint: Bool { self == .doubleAttributeType || self == .floatAttributeType }

    /// The integers values of the type can be; all for types that are none.
    var integers: ClosedRange<Int64> {
        switch self {
        case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }
}

extension ClosedRange<Int64> {
    /// Whether the number is one of these integers.
    func contains(double: Double) -> Bool { Int64(exactly: double).map(contains) ?? false }
}

/// A value that its new type cannot hold.
struct UnfitValue: Error {
    /// The destination entity and the path of its attribute.
    var entity: String
    var attribute: String
    var value: NSNumber
    var source: NSAttributeType
    var destination: NSAttributeType
    /// The object of the source.
    var object: URL?

    /// The error a migration ends with.
    ///
    /// - Parameters:
    ///   - store: where the value is, if that is known.
    ///   - others: further values of the attribute that do not fit.
    func failure(at store: URL? = nil, others: [UnfitValue] = [], count: Int = 1) -> NSError {
        let place = object.map { " in \($0.absoluteString)" } ?? ""
        let all = [self] + others
        let more = count > all.count ? "; \(count - all.count) more" : ""
        var info: [String: Any] = [
            NSAffectedObjectsErrorKey: all.compactMap(\.object), "value": value,
            NSValidationKeyErrorKey: attribute, NSValidationValueErrorKey: value,
        ]
        info[NSURLErrorKey] = store
        return CoreDataError.make(
            NSMigrationError,
            description:
                "The store\(store.map { " at \($0.path)" } ?? "") could not be migrated: the value \(value) of \(entity).\(attribute)\(place) does not "
                + "fit \(destination.words), the new type of the attribute, which was \(source.words).",
            reason: "\(entity).\(attribute) became \(destination.words), which cannot hold "
                + all.map { "\($0.value)\($0.object.map { " of \($0.absoluteString)" } ?? "")" }
                .joined(separator: ", ") + more + ".",
            advice:
                "Change these values with the old version of the model, choose a type that can hold them, or convert "
                + "them with a mapping model.",
            entity: entity, key: attribute,
            userInfo: info)
    }
}
