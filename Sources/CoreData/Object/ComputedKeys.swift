import CoreDataRuntimeSupport
import Foundation

/// Names computed properties of a class by the keys under which key-value coding reads them.
///
/// At Apple `value(forKey:)` finds a getter by its name in the Objective-C runtime, which does not exist elsewhere. So a class
/// whose transient attribute is computed says so:
///
/// ```swift
/// #if !canImport(ObjectiveC)
/// extension Event: ComputedKeys {
///     static var computedKeys: [String: AnyKeyPath] { ["month": \Event.month] }
/// }
/// #endif
/// ```
///
/// ``NSManagedObject/value(forKey:)``, predicates and sort descriptors evaluated in memory, and section key paths then ask the
/// property. The keys are transient attributes, or no properties of the model at all; a stored attribute is read from its
/// row. A class with subclasses that compute more declares a `class var` in its body, which they override. As at Apple, a getter
/// reads its own key by `primitiveValue(forKey:)`. Asked once for each class, from any thread.
public protocol ComputedKeys: NSManagedObject {
    /// The key paths of computed properties by key.
    static var computedKeys: [String: AnyKeyPath] { get }
}

/// What classes said about their computed properties.
enum ComputedProperties {
    /// By the class's address.
    private static let known = Locked<[Int: [String: AnyKeyPath]]>([:])

    static func keyPath(for key: String, of type: NSManagedObject.Type) -> AnyKeyPath? {
        guard type != NSManagedObject.self else { return nil }
        let address = Int(bitPattern: ObjectIdentifier(type))
        if let keys = known.withLock({ $0[address] }) { return keys[key] }
        let keys = (type as? any ComputedKeys.Type)?.computedKeys ?? [:]
        known.withLock { $0[address] = keys }
        return keys[key]
    }
}

extension NSManagedObject {
    /// The value of a property that the class computes; nil where it computes none of that key.
    final func computedValue(forKey key: String) -> Any?? {
        guard let keyPath = ComputedProperties.keyPath(for: key, of: type(of: self)) else { return nil }
        guard let value = self[keyPath: keyPath] else {
            fatalError(
                "The key path that \(type(of: self)).computedKeys has for \"\(key)\" is not one of \(type(of: self)).")
        }
        return .some(OptionalContents.unwrapped(value))
    }
}
