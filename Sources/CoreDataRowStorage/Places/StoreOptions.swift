import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// Typed access to the options with which a store is added. Values are immutable once passed.
package struct StoreOptions: @unchecked Sendable {
    private let named: NamedOptions?
    /// The options that were passed as a dictionary.
    private let given: GivenOptions?

    package init(_ values: [AnyHashable: Any]?) {
        given = values.map(GivenOptions.init)
        named = nil
    }

    package init(_ named: NamedOptions) {
        self.named = named
        given = nil
    }

    /// Creates options that consist of the timeout.
    package init(timeout: Double) { self.init([NSPersistentStoreTimeoutOption: timeout]) }

    /// The seconds to wait for a store that others use.
    package var timeout: Double { number(NSPersistentStoreTimeoutOption) ?? StoreFiles.usualTimeout }

    package init(named: [String: NSObject]) { self.init(NamedOptions(values: named)) }

    /// The options in the form of `addPersistentStore`; nil if nil was passed. Creating the dictionary from named options is
    /// costly.
    package var values: [AnyHashable: Any]? { given?.values ?? named?.named }

    /// The names of all options.
    package var names: [String] { given.map { Array($0.byName.keys) } ?? named.map { Array($0.named.keys) } ?? [] }

    package subscript(key: String) -> Any? { given?.byName[key] ?? named?.value(key) }

    /// The pragmas by name, if they were set that way.
    package var pragmas: [String: NSObject] { named?.pragmas ?? [:] }

    /// Returns a Boolean option, given as a `Bool`, a number, or a text such as "YES". False if it is absent.
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
        guard let value = self[key] else { return nil }
        if let number = ClassInstance.of(value) as? NSNumber { return number.doubleValue }
        return switch value {
        case let value as Double: value
        case let value as Int: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as String: Double(value)
        default: nil
        }
    }
}

/// The options in the form of `addPersistentStore`, and by name.
private final class GivenOptions: @unchecked Sendable {
    let values: [AnyHashable: Any]
    let byName: [String: Any]

    init(_ values: [AnyHashable: Any]) {
        self.values = values
        var byName: [String: Any] = [:]
        for (key, value) in values {
            // A key may be an `NSString`, which is not equal to a `String` key off Apple.
            if let name = key.base as? String { byName[name] = value }
        }
        self.byName = byName
    }
}
