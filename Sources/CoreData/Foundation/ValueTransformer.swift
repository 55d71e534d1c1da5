import CoreDataRuntimeSupport
import Foundation
import Synchronization

// Foundation's value transformers, which it lacks off Apple. This goes when Foundation has them.

/// Name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public var rawValue: String

    /// A name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A name.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension NSValueTransformerName {
    /// `NegateBooleanTransformer`: turns true and false into each other.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether the value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether the value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Objects from and to keyed archives, of any class.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// Objects from and to keyed archives, of any class.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// Objects from and to keyed archives, of property-list and other allowed classes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// What many models call the same transformer by.
    static let secureUnarchiveFromDataTransformerClassName = NSValueTransformerName(
        "NSSecureUnarchiveFromDataTransformer")
    /// The name of the constant, which some models have in place of its value.
    static let secureUnarchiveFromDataTransformerConstantName = NSValueTransformerName(
        "NSSecureUnarchiveFromDataTransformerName")
}

/// Turns values into others, and possibly back. Subclass it and register the subclass's object under a name.
///
/// Core Data uses the *reverse* transformation of `NSSecureUnarchiveFromDataTransformer` and its kin to make data for
/// the store, but the *forward* transformation of all others. Objects must be usable from any thread.
open class ValueTransformer: NSObject, @unchecked Sendable {
    private static let registry = Locked<[NSValueTransformerName: ValueTransformer]>([:])

    /// A transformer.
    public override init() {
        super.init()
    }

    /// Makes a transformer known under a name; nil takes the name away.
    public class func setValueTransformer(
        _ transformer: ValueTransformer?,
        forName name: NSValueTransformerName
    ) {
        registry.withLock { $0[name] = transformer }
    }

    /// The transformer of that name: a registered one, one of Foundation's, or an object of the subclass of that name, made
    /// by its `init()`; nil for an unknown name.
    ///
    /// Classes are found as `Name`, `.Name` and `Module.Name`.
    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        if let known = registry.withLock({ $0[name] }) { return known }
        guard let made = standardTransformer(named: name) ?? transformer(ofClassNamed: name.rawValue) else {
            return nil
        }
        return registry.withLock { registry in
            if let known = registry[name] { return known }
            registry[name] = made
            return made
        }
    }

    /// Names of the transformers known so far.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        registry.withLock { registry in registry.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformation can be turned back. True unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The transformed value; the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value a transformed value came from. Traps unless overridden or `transformedValue(_:)` is its own reverse.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            fatalError("\(type(of: self)) does not allow reverse transformation.")
        }
        return transformedValue(value)
    }

    private class func transformer(ofClassNamed name: String) -> ValueTransformer? {
        (ManagedObjectClassRegistry.anyClass(named: name) as? ValueTransformer.Type)?.make()
    }

    /// Another name of ``init(_plain:)``, as it is called through a class value: `required` would break classes with
    /// initializers of their own. Stops the program, as at Apple, where the class does not have `init()`.
    @_silgen_name("$s8CoreData16ValueTransformerC6_plainACyt_tcfC")
    private static func make(_plain: Void = ()) -> Self

    /// Calls the class's own `init()`. Called by ``make(_plain:)`` alone.
    @usableFromInline convenience init(_plain: Void) { self.init() }

    private class func standardTransformer(named name: NSValueTransformerName) -> ValueTransformer? {
        switch name {
        case .negateBooleanTransformerName:
            TruthTransformer(isReversible: true) { !(($0 as? NSNumber)?.boolValue ?? false) }
        case .isNilTransformerName: TruthTransformer { $0 == nil }
        case .isNotNilTransformerName: TruthTransformer { $0 != nil }
        case .unarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName: UnarchiveTransformer()
        case .secureUnarchiveFromDataTransformerName, .secureUnarchiveFromDataTransformerClassName,
            .secureUnarchiveFromDataTransformerConstantName:
            NSSecureUnarchiveFromDataTransformer()
        default: nil
        }
    }
}

/// Lets `ValueTransformer(forName:)` give a transformer that is there already.
public protocol _ValueTransformerFactory {}

extension ValueTransformer: _ValueTransformerFactory {}

extension _ValueTransformerFactory where Self: ValueTransformer {
    /// The transformer of that name, as ``ValueTransformer/valueTransformer(forName:)`` finds it; nil for an unknown name, or
    /// when it is of another class.
    public init?(forName name: NSValueTransformerName) {
        guard let known = ValueTransformer.valueTransformer(forName: name) as? Self else { return nil }
        self = known
    }
}
