#if !canImport(Darwin)
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
    private static let compoundMethods = MethodTable(NSCompoundPredicate.self)
        .methods(comparing: PlainCompound.self, with: RepairedCompound.self, count: 6)
    private static let plainMethods = MethodTable(NSPredicate.self)
        .methods(comparing: PlainPredicate.self, with: RepairedPredicate.self, count: 2)
    private static let comparisonMethods = MethodTable(NSComparisonPredicate.self)
        .methods(comparing: OfUnchangedComparison.Named.self, with: OfRepairedComparison.Named.self, count: 5)

    /// Whether the methods were replaced; done when the module first makes or reads a predicate.
    static let isInstalled: Bool = {
        let (compound, plain) = (MethodTable(NSCompoundPredicate.self), MethodTable(NSPredicate.self))
        let (compoundMethods, plainMethods) = (Self.compoundMethods, Self.plainMethods)
        let isCompoundRepaired = compound.replace(compoundMethods, with: RepairedCompound.self)
        if isCompoundRepaired { compound.replaceDestroyer(with: RepairedCompound.self) }
        return plain.replace(plainMethods, with: RepairedPredicate.self) && isCompoundRepaired
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
    private static func repair(_ type: AnyClass, _ methods: [Int], _ plain: AnyClass, _ repaired: AnyClass) {
        guard known.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        let (table, inherited) = (MethodTable(type), MethodTable(plain))
        _ = table.replace(methods.filter { table[$0] == inherited[$0] }, with: repaired)
    }
}

/// The method table of a class: the words of its metadata after the fixed part.
private struct MethodTable {
    private let type: AnyClass
    private let start: UnsafeMutableRawPointer

    init(_ type: AnyClass) {
        self.type = type
        start = unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }

    /// Where the table ends. The class size counts from before the address the metadata pointer shows.
    private var end: Int {
        Int(start.load(fromByteOffset: 32, as: UInt32.self)) - Int(start.load(fromByteOffset: 36, as: UInt32.self))
    }

    /// Where the class keeps its first method: after kind, superclass, flags, sizes, descriptor and destroyer.
    private static let first = 48
    /// Where it keeps the function that frees an instance.
    private static let destroyer = -16

    /// Where the methods lie that `repaired` overrides; none unless they are `count`.
    func methods(comparing plain: AnyClass, with repaired: AnyClass, count: Int) -> [Int] {
        let (unchanged, new) = (MethodTable(plain), MethodTable(repaired))
        guard end > Self.first, end <= unchanged.end, end <= new.end else { return [] }
        let methods = stride(from: Self.first, to: end, by: MemoryLayout<UInt>.size).filter { offset in
            self[offset] == unchanged[offset] && self[offset] != new[offset]
        }
        return methods.count == count ? methods : []
    }

    /// Replaces methods with those of another class.
    func replace(_ methods: [Int], with repaired: AnyClass) -> Bool {
        guard let first = methods.first, let last = methods.last, makeWritable(first...last) else { return false }
        let new = MethodTable(repaired)
        for offset in methods { start.storeBytes(of: new[offset], toByteOffset: offset, as: UInt.self) }
        return true
    }

    /// Frees instances as those of `repaired`, which must have the same storage.
    func replaceDestroyer(with repaired: AnyClass) {
        guard ClassAdoption.haveSameStorage(type, repaired), self[Self.destroyer] != 0,
            MethodTable(repaired)[Self.destroyer] != 0
        else { return }
        _ = replace([Self.destroyer], with: repaired)
    }

    subscript(offset: Int) -> UInt { start.load(fromByteOffset: offset, as: UInt.self) }

    /// Metadata lies in data that may be written to; should it have been protected after loading, that is undone for the
    /// pages from the first entry to the last.
    private func makeWritable(_ offsets: ClosedRange<Int>) -> Bool {
        let page = sysconf(Int32(_SC_PAGESIZE))
        guard page > 0 else { return false }
        let begin = (Int(bitPattern: start) + offsets.lowerBound) / page * page
        let end = Int(bitPattern: start) + offsets.upperBound + MemoryLayout<UInt>.size
        guard let aligned = UnsafeMutableRawPointer(bitPattern: begin) else { return false }
        return mprotect(aligned, end - begin, PROT_READ | PROT_WRITE) == 0
    }
}
#endif
