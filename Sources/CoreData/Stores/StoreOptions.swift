import Foundation

/// Typed reading of the options a store is added with.
package struct StoreOptions {
    package let values: [AnyHashable: Any]
    private let byName: [String: Any]

    package init(_ values: [AnyHashable: Any]?) {
        self.values = values ?? [:]
        var byName: [String: Any] = [:]
        for (key, value) in self.values {
            // Keys may be given as `NSString`, which is another key off Apple.
            if let name = key.base as? String { byName[name] = value }
        }
        self.byName = byName
    }

    package subscript(key: String) -> Any? { byName[key] }

    /// A Boolean option, given as a `Bool`, a number, or a text such as "YES". False when absent.
    package func flag(_ key: String) -> Bool {
        guard let value = self[key] else { return false }
        if let number = ClassInstance.of(value) as? NSNumber { return number.boolValue }
        return switch value {
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
