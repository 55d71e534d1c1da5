import CoreDataRuntimeSupport
import Foundation
import Synchronization

// Foundation's value transformers, which Foundation lacks off Apple's platforms. To be removed once Foundation has them.

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public var rawValue: String

    /// Creates a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a name.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension NSValueTransformerName {
    /// The name of the transformer that negates a Boolean (`NegateBooleanTransformer`).
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// The name of the transformer that tests for nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// The name of the transformer that tests for values other than nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// The name of the transformer between objects of any class and keyed archives.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// The name of the transformer between objects of any class and keyed archives.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// The name of the transformer between objects of property-list and other allowed classes and keyed archives.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// The class name, by which many models refer to the same transformer.
    static let secureUnarchiveFromDataTransformerClassName = NSValueTransformerName(
        "NSSecureUnarchiveFromDataTransformer")
    /// The name of the constant, which some models contain instead of its value.
    static let secureUnarchiveFromDataTransformerConstantName = NSValueTransformerName(
        "NSSecureUnarchiveFromDataTransformerName")
}

/// A transformer of values, possibly reversible. Subclass it, and register an instance of the subclass under a name.
///
/// Core Data uses the *reverse* transformation of `NSSecureUnarchiveFromDataTransformer` and similar classes to create data for
/// the store, but the *forward* transformation of all others. Instances must be usable on any thread.
open class ValueTransformer: NSObject, @unchecked Sendable {
    private static let registry = Locked<[NSValueTransformerName: ValueTransformer]>([:])

    /// Creates a transformer.
    public override init() {
        super.init()
    }

    /// Registers a transformer under a name; nil removes the name.
    public class func setValueTransformer(
        _ transformer: ValueTransformer?,
        forName name: NSValueTransformerName
    ) {
        registry.withLock { $0[name] = transformer }
    }

    /// Returns the transformer with a name: a registered one, one of Foundation's, or an instance of the subclass with that
    /// name, created by its `init()`; nil for an unknown name.
    ///
    /// Class names may be written as `Name`, `.Name` and `Module.Name`.
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

    /// Returns the names of the transformers known so far.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        registry.withLock { registry in registry.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// Returns the class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Returns true if the transformation is reversible. True unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the transformed value; the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value that a transformed value was created from: by default `transformedValue(_:)` of it. Traps if
    /// ``allowsReverseTransformation()`` is false.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            fatalError("\(type(of: self)) does not allow reverse transformation.")
        }
        return transformedValue(value)
    }

    private class func transformer(ofClassNamed name: String) -> ValueTransformer? {
        (ProgramClasses.anyClass(named: name) as? ValueTransformer.Type)?.make()
    }

    /// Creates an instance by an alias of ``init(_plain:)`` as called through a class value: a required initializer would break
    /// classes with other initializers. Stops the program, as on Apple's platforms, if the class does not have `init()`.
    @_silgen_name("$s8CoreData16ValueTransformerC6_plainACyt_tcfC")
    private static func make(_plain: Void = ()) -> Self

    /// Calls the class's `init()`. Called by ``make(_plain:)`` only.
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

/// A protocol that lets `ValueTransformer(forName:)` return an existing transformer.
public protocol _ValueTransformerFactory {}

extension ValueTransformer: _ValueTransformerFactory {}

extension _ValueTransformerFactory where Self: ValueTransformer {
    /// Returns the transformer found by ``ValueTransformer/valueTransformer(forName:)``; nil for an unknown name, or if it has
    /// another class.
    public init?(forName name: NSValueTransformerName) {
        guard let known = ValueTransformer.valueTransformer(forName: name) as? Self else { return nil }
        self = known
    }
}
