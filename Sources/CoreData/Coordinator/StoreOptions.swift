import Foundation

/// Typed reading of the options a store is added with.
package struct StoreOptions {
    package let values: [AnyHashable: Any]

    package init(_ values: [AnyHashable: Any]?) { self.values = values ?? [:] }

    package subscript(key: String) -> Any? { values[AnyHashable(key)] ?? values[AnyHashable(key as NSString)] }

    /// A Boolean option, given as a `Bool`, a number, or a text such as "YES". False when absent.
    package func flag(_ key: String) -> Bool {
        switch self[key] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        case let value as Int: value != 0
        case let value as String: NSString(string: value).boolValue
        default: false
        }
    }

    package func number(_ key: String) -> Double? {
        switch self[key] {
        case let value as Double: value
        case let value as Int: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as String: Double(value)
        default: nil
        }
    }
}
