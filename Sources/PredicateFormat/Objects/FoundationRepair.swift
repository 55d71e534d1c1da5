import CoreDataRuntimeSupport
import Foundation

/// Gives predicates created by Foundation's own initializers the behavior that Apple documents.
///
/// Off Apple's platforms Foundation's `NSCompoundPredicate` inherits methods from `NSPredicate` that it should override: every
/// compound prints as `FALSEPREDICATE`, equals every other compound and copies to a predicate that is always false; and
/// `NSPredicate(value: false)` equals every compound. Compounds are evaluated and freed recursively, so some ten thousand
/// nested ones overflow the stack. The initializers cannot be replaced from outside: in files that also import Foundation the
/// calls would be ambiguous. Instead, the entries of these methods in the vtables of the two classes are replaced, once, with
/// those of subclasses that override only these methods and have no stored properties.
///
/// The entries are found by comparing three vtables: that of the class, that of a subclass without overrides, and that of the
/// overriding subclass. An entry qualifies if the first two are equal and the third differs. If their number is not that of the
/// overridden methods, or if they are not writable, nothing is changed, and predicates behave as Foundation implements them.
/// Entries are replaced word by word, and both old and new entries are valid at any time, so other threads may use the classes
/// meanwhile.
///
/// Subclasses have their own vtables. Those of application subclasses are repaired in the same way, except for the methods they
/// override, when this module first reads a predicate of the class.
enum FoundationRepair {
    private final class PlainCompound: NSCompoundPredicate {}

    private final class RepairedCompound: NSCompoundPredicate {
        override var predicateFormat: String { node.predicateFormat }
        override var description: String { node.predicateFormat }
        override var hash: Int { node.hashValue }
        override func copy(with zone: NSZone? = nil) -> Any { self }

        override func isEqual(_ object: Any?) -> Bool {
            PredicateObjects.isEqual(self, node, object)
        }

        override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
            CompoundReader.evaluate(self, with: object, bindings)
        }

        deinit { CompoundReader.takeApart(self) }
    }

    private final class PlainPredicate: NSPredicate {}

    private final class RepairedPredicate: NSPredicate {
        override var hash: Int { node.hashValue }

        override func isEqual(_ object: Any?) -> Bool {
            PredicateObjects.isEqual(self, node, object)
        }
    }

    // Computed before anything is replaced; empty unless the count matches that of the overridden methods.
    private static let compoundMethods = methods(
        of: NSCompoundPredicate.self, overriddenBy: RepairedCompound.self, butNotBy: PlainCompound.self, count: 6)
    private static let plainMethods = methods(
        of: NSPredicate.self, overriddenBy: RepairedPredicate.self, butNotBy: PlainPredicate.self, count: 2)
    private static let comparisonMethods = methods(
        of: NSComparisonPredicate.self, overriddenBy: OfRepairedComparison.Named.self,
        butNotBy: OfUnchangedComparison.Named.self, count: 5)

    private static func methods(
        of type: AnyClass, overriddenBy repaired: AnyClass, butNotBy plain: AnyClass, count: Int
    ) -> [ClassMetadata.Method] {
        guard let type = ClassMetadata(type), let repaired = ClassMetadata(repaired), let plain = ClassMetadata(plain)
        else { return [] }
        return type.methods(overriddenBy: repaired, butNotBy: plain, count: count)
    }

    /// True if the methods were replaced, which happens when the module first creates or reads a predicate.
    static let isInstalled: Bool = {
        let (compoundMethods, plainMethods) = (Self.compoundMethods, Self.plainMethods)
        guard let compound = ClassMetadata(NSCompoundPredicate.self), let plain = ClassMetadata(NSPredicate.self),
            let repairedCompound = ClassMetadata(RepairedCompound.self),
            let repairedPlain = ClassMetadata(RepairedPredicate.self)
        else { return false }
        let isCompoundRepaired = compound.replace(compoundMethods, with: repairedCompound)
        if isCompoundRepaired { compound.replaceDestroyer(with: repairedCompound) }
        return plain.replace(plainMethods, with: repairedPlain) && isCompoundRepaired
    }()

    /// The application classes that have been examined.
    private static let known = Locked<Set<ObjectIdentifier>>([])

    /// Repairs an application subclass of `NSCompoundPredicate`.
    static func repairCompound(_ type: AnyClass) {
        guard isInstalled else { return }
        repair(type, compoundMethods, PlainCompound.self, RepairedCompound.self)
    }

    /// Repairs an application subclass of `NSComparisonPredicate`.
    static func repairComparison(_ type: AnyClass) {
        repair(type, comparisonMethods, OfUnchangedComparison.Named.self, OfRepairedComparison.Named.self)
    }

    /// Replaces those of the methods that the class inherits.
    private static func repair(
        _ type: AnyClass, _ methods: [ClassMetadata.Method], _ plain: AnyClass, _ repaired: AnyClass
    ) {
        guard known.withLock({ $0.insert(ObjectIdentifier(type)).inserted }), let own = ClassMetadata(type),
            let plain = ClassMetadata(plain), let repaired = ClassMetadata(repaired)
        else { return }
        _ = own.replace(methods.filter { own.shares($0, with: plain) }, with: repaired)
    }
}
