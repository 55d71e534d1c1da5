import Foundation

/// Gives the compound predicates that Foundation's own initialisers create the behaviour Apple documents.
///
/// Foundation off Apple lets `NSCompoundPredicate` inherit from `NSPredicate` what it must not: every compound prints as
/// `FALSEPREDICATE`, equals every other and copies to a predicate that is always false. Its initialisers cannot be
/// replaced from outside (they would be ambiguous), so the five method entries of the class are replaced instead, once,
/// with those of a subclass that overrides just these methods and stores nothing. The entries are found by comparing the
/// method tables of the class, of an empty subclass and of the overriding one. If they do not look as expected, nothing
/// is changed.
enum CompoundPredicateRepair {
    private final class Unchanged: NSCompoundPredicate {}

    private final class Repaired: NSCompoundPredicate {
        override var predicateFormat: String { node.predicateFormat }
        override var description: String { node.predicateFormat }
        override var hash: Int { node.hashValue }
        override func copy(with zone: NSZone? = nil) -> Any { self }

        override func isEqual(_ object: Any?) -> Bool {
            PredicateObjects.isEqual(self, node, object)
        }
    }

    private static let overriddenMethods = 5

    /// Replaces the entries; done when the module first makes or reads a predicate.
    static let isInstalled: Bool = install()

    private static func install() -> Bool {
        let table = UnsafeMutableRawPointer(mutating: metadata(of: NSCompoundPredicate.self))
        let (unchanged, repaired) = (metadata(of: Unchanged.self), metadata(of: Repaired.self))
        // The class size counts from before the address the metadata pointer shows.
        let end =
            Int(table.load(fromByteOffset: 32, as: UInt32.self)) - Int(table.load(fromByteOffset: 36, as: UInt32.self))
        let methods = stride(from: 48, to: end, by: MemoryLayout<UInt>.size).filter { offset in
            let entry = table.load(fromByteOffset: offset, as: UInt.self)
            return entry == unchanged.load(fromByteOffset: offset, as: UInt.self)
                && entry != repaired.load(fromByteOffset: offset, as: UInt.self)
        }
        guard methods.count == overriddenMethods else { return false }
        for offset in methods {
            table.storeBytes(
                of: repaired.load(fromByteOffset: offset, as: UInt.self), toByteOffset: offset, as: UInt.self)
        }
        return true
    }

    private static func metadata(of type: AnyClass) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}
