import CoreDataRuntimeSupport
import Foundation

/// Gives predicates that Foundation's own initialisers create the behaviour Apple documents.
///
/// Foundation off Apple lets `NSCompoundPredicate` inherit from `NSPredicate` what it must not: every compound prints as
/// `FALSEPREDICATE`, equals every other and copies to a predicate that is always false; and `NSPredicate(value: false)`
/// equals every compound. Compounds are evaluated and freed recursively, so some ten thousand of them, each in the next,
/// overflow the stack. The initialisers cannot be replaced from outside: in files that import Foundation too, the calls
/// would be ambiguous. So the entries of these methods in the two classes' method tables are replaced, once, with those of
/// subclasses that override just these methods and store nothing.
///
/// The entries are found by comparing three tables: the class's own, that of a subclass that overrides nothing, and that
/// of the overriding one. Exactly those entries qualify that the first two share and the third has not. Unless there are
/// as many of them as overridden methods, and unless they can be written to, nothing is changed, and predicates behave as
/// Foundation makes them. Entries are replaced word by word, and old and new ones are sound at any time, so other
/// threads may use the classes meanwhile.
///
/// Subclasses have tables of their own. Those of programs are repaired in the same way, but for the methods they override,
/// when this module first reads a predicate of the class.
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

    // Found before anything is replaced; empty unless there are as many as overridden above.
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

    /// Whether the methods were replaced; done when the module first makes or reads a predicate.
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

    /// Classes of programs that were looked at.
    private static let known = Locked<Set<ObjectIdentifier>>([])

    /// Repairs a program's subclass of `NSCompoundPredicate`.
    static func repairCompound(_ type: AnyClass) {
        guard isInstalled else { return }
        repair(type, compoundMethods, PlainCompound.self, RepairedCompound.self)
    }

    /// Repairs a program's subclass of `NSComparisonPredicate`.
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
