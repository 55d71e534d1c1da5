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

    private static let compoundMethods = 6
    private static let comparisonMethods = 5

    /// Whether the methods were replaced; done when the module first makes or reads a predicate.
    static let isInstalled: Bool = {
        let compound = MethodTable(NSCompoundPredicate.self)
            .replaceMethods(comparing: PlainCompound.self, with: RepairedCompound.self, count: compoundMethods)
        if compound { MethodTable(NSCompoundPredicate.self).replaceDestroyer(with: RepairedCompound.self) }
        let plain = MethodTable(NSPredicate.self)
            .replaceMethods(comparing: PlainPredicate.self, with: RepairedPredicate.self, count: 2)
        return compound && plain
    }()

    /// Classes of programs that were looked at.
    private static let known = Locked<Set<ObjectIdentifier>>([])

    /// Repairs a program's subclass of `NSCompoundPredicate`.
    static func repairCompound(_ type: AnyClass) {
        guard isInstalled, known.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        MethodTable(type).replaceMethods(
            of: NSCompoundPredicate.self, comparing: PlainCompound.self, with: RepairedCompound.self,
            upTo: compoundMethods)
    }

    /// Repairs a program's subclass of `NSComparisonPredicate`.
    static func repairComparison(_ type: AnyClass) {
        guard known.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        MethodTable(type).replaceMethods(
            of: NSComparisonPredicate.self, comparing: OfUnchangedComparison.Named.self,
            with: OfRepairedComparison.Named.self,
            upTo: comparisonMethods)
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

    /// Replaces the methods `repaired` overrides, if there are exactly `count`.
    func replaceMethods(comparing plain: AnyClass, with repaired: AnyClass, count: Int) -> Bool {
        let methods = overridden(by: repaired, in: plain, upTo: end)
        guard methods.count == count, methods.allSatisfy({ self[$0] == MethodTable(plain)[$0] }) else { return false }
        return replace(methods, with: MethodTable(repaired))
    }

    /// Replaces the methods that `repaired` overrides, which are `count`, and the class inherits from `base`.
    func replaceMethods(of base: AnyClass, comparing plain: AnyClass, with repaired: AnyClass, upTo count: Int) {
        let methods = overridden(by: repaired, in: plain, upTo: MethodTable(base).end)
        guard methods.count == count else { return }
        _ = replace(methods.filter { self[$0] == MethodTable(plain)[$0] }, with: MethodTable(repaired))
    }

    /// Frees instances as those of `repaired`, which must have the same storage.
    func replaceDestroyer(with repaired: AnyClass) {
        guard ClassAdoption.haveSameStorage(type, repaired), self[Self.destroyer] != 0,
            MethodTable(repaired)[Self.destroyer] != 0
        else { return }
        _ = replace([Self.destroyer], with: MethodTable(repaired))
    }

    private func overridden(by repaired: AnyClass, in plain: AnyClass, upTo end: Int) -> [Int] {
        let (unchanged, new) = (MethodTable(plain), MethodTable(repaired))
        guard end > Self.first, end <= self.end, end <= unchanged.end, end <= new.end else { return [] }
        return stride(from: Self.first, to: end, by: MemoryLayout<UInt>.size).filter { unchanged[$0] != new[$0] }
    }

    private func replace(_ offsets: [Int], with new: MethodTable) -> Bool {
        guard let first = offsets.first, let last = offsets.last, makeWritable(first...last) else { return false }
        for offset in offsets { start.storeBytes(of: new[offset], toByteOffset: offset, as: UInt.self) }
        return true
    }

    private subscript(offset: Int) -> UInt { start.load(fromByteOffset: offset, as: UInt.self) }

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
