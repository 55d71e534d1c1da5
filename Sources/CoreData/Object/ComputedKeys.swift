import CoreDataRuntimeSupport
import Foundation

/// A class with computed properties that key-value coding reads by key.
///
/// On Apple's platforms `value(forKey:)` finds a getter by name in the Objective-C runtime, which does not exist elsewhere. So
/// a class with a computed transient attribute declares it:
///
/// ```swift
/// #if !canImport(ObjectiveC)
/// extension Event: ComputedKeys {
///     static var computedKeys: [String: AnyKeyPath] { ["month": \Event.month] }
/// }
/// #endif
/// ```
///
/// ``NSManagedObject/value(forKey:)``, predicates and sort descriptors evaluated in memory, and section key paths then read the
/// property. The keys are transient attributes, or no properties of the model at all; a stored attribute is read from its row.
/// A class with subclasses that compute more declares a `class var` in its body, which they override. As on Apple's platforms,
/// a getter reads its key by `primitiveValue(forKey:)`. The requirement is read once for each class, on any thread.
public protocol ComputedKeys: NSManagedObject {
    /// The key paths of computed properties by key.
    static var computedKeys: [String: AnyKeyPath] { get }
}

/// The computed properties that classes have declared.
enum ComputedProperties {
    /// The declared key paths, by the class's address.
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
    /// Returns the value of a computed property; nil if the class declares none for the key.
    final func computedValue(forKey key: String) -> Any?? {
        guard let keyPath = ComputedProperties.keyPath(for: key, of: type(of: self)) else { return nil }
        guard let value = self[keyPath: keyPath] else {
            fatalError(
                "The key path that \(type(of: self)).computedKeys has for \"\(key)\" is not one of \(type(of: self)).")
        }
        return .some(OptionalContents.unwrapped(value))
    }
}
