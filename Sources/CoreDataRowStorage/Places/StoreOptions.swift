import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// Typed reading of the options a store is added with. Their values do not change once they are given.
package struct StoreOptions: @unchecked Sendable {
    private let named: NamedOptions?
    /// Options that were not given by name.
    private let given: GivenOptions?

    package init(_ values: [AnyHashable: Any]?) {
        given = values.map(GivenOptions.init)
        named = nil
    }

    package init(_ named: NamedOptions) {
        self.named = named
        given = nil
    }

    /// The timeout alone.
    package init(timeout: Double) { self.init([NSPersistentStoreTimeoutOption: timeout]) }

    /// Seconds to wait for a store that others use.
    package var timeout: Double { number(NSPersistentStoreTimeoutOption) ?? StoreFiles.usualTimeout }

    package init(named: [String: NSObject]) { self.init(NamedOptions(values: named)) }

    /// The options in the form of `addPersistentStore`; nil if that was given. Making it of options by name takes its time.
    package var values: [AnyHashable: Any]? { given?.values ?? named?.named }

    /// The names of all options.
    package var names: [String] { given.map { Array($0.byName.keys) } ?? named.map { Array($0.named.keys) } ?? [] }

    package subscript(key: String) -> Any? { given?.byName[key] ?? named?.value(key) }

    /// Pragmas by name, where they were given as such.
    package var pragmas: [String: NSObject] { named?.pragmas ?? [:] }

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

/// Options as `addPersistentStore` takes them, with what they say by name.
private final class GivenOptions: @unchecked Sendable {
    let values: [AnyHashable: Any]
    let byName: [String: Any]

    init(_ values: [AnyHashable: Any]) {
        self.values = values
        var byName: [String: Any] = [:]
        for (key, value) in values {
            // Keys may be given as `NSString`, which is another key off Apple.
            if let name = key.base as? String { byName[name] = value }
        }
        self.byName = byName
    }
}
