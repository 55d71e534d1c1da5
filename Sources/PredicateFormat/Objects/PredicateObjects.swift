import CoreDataRuntimeSupport
import Foundation

/// A predicate of this module: `TRUEPREDICATE` and `FALSEPREDICATE`, and the initial class of comparisons.
class TreePredicate: NSPredicate {
    private(set) var storage: PredicateStorage?

    init(storage: PredicateStorage) {
        self.storage = storage
        super.init(block: TreePredicate.unreachable)
    }

    private static func unreachable(_ object: Any?, _ bindings: [String: Any]?) -> Bool { false }

    override var predicateFormat: String { storage!.node.predicateFormat }
    override var description: String { predicateFormat }
    override var hash: Int { storage!.node.hashValue }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        PredicateObjects.isEqual(self, storage!.node, object)
    }

    override func evaluate(with object: Any?) -> Bool {
        Unmanaged.passUnretained(storage!)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: nil) }
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        Unmanaged.passUnretained(storage!)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: bindings) }
    }
}

/// A comparison predicate of this module. Objects are created as ``TreePredicate`` and adopt this class, which must therefore
/// have the same stored properties. Named `TreeComparisonPredicate` elsewhere (see ``FoundationNames``).
@available(*, deprecated)
final class TreeComparisonPredicateClass: Foundation.NSComparisonPredicate {
    private(set) var storage: PredicateStorage?

    /// Creates a comparison. Not inlined, so that the optimizer cannot assume the object's initial class in the caller.
    @inline(never)
    static func make(_ storage: PredicateStorage) -> NSPredicate {
        let object = TreePredicate(storage: storage)
        // Without adoption the object evaluates, prints and compares the same, but cannot be cast to `NSComparisonPredicate`.
        guard ClassAdoption.isSupported else { return object }
        ClassAdoption.adopt(object, into: TreeComparisonPredicateClass.self)
        return object
    }

    var comparison: ComparisonNode {
        guard case .comparison(let comparison) = storage!.node else {
            preconditionFailure("a comparison predicate holds a comparison")
        }
        return comparison
    }

    override var predicateFormat: String { storage!.node.predicateFormat }
    override var description: String { predicateFormat }
    override var hash: Int { storage!.node.hashValue }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        PredicateObjects.isEqual(self, storage!.node, object)
    }

    override func evaluate(with object: Any?) -> Bool {
        Unmanaged.passUnretained(storage!)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: nil) }
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        Unmanaged.passUnretained(storage!)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: bindings) }
    }
}

enum OfTreeComparisonPredicate: FoundationNaming {
    @available(*, deprecated)
    static func name() -> TreeComparisonPredicateClass { fatalError("declares a type only") }
}

typealias TreeComparisonPredicate = OfTreeComparisonPredicate.Named

/// A compound predicate of this module.
final class TreeCompoundPredicate: NSCompoundPredicate {
    private(set) var storage: PredicateStorage
    private var children: AtomicChildren

    init(storage: PredicateStorage) {
        self.storage = storage
        self.children = AtomicChildren()
        super.init(type: .and, subpredicates: [])
    }

    override var compoundPredicateType: LogicalType {
        get {
            switch storage.form {
            case .not: .not
            case .or: .or
            default: .and
            }
        }
        set { replace(type: newValue, subpredicates: subpredicates) }
    }

    override var subpredicates: [NSPredicate] {
        get { children.value { PredicateObjects.children(of: storage.node) } }
        set { replace(type: compoundPredicateType, subpredicates: newValue) }
    }

    /// Replaces the tree. Off Apple's platforms Foundation declares setters for both properties; like Foundation's, they are
    /// not thread-safe.
    private func replace(type: LogicalType, subpredicates: [NSPredicate]) {
        storage = PredicateStorage(PredicateObjects.compound(type, subpredicates.map(\.node)))
        children = AtomicChildren()
    }

    override var predicateFormat: String { storage.node.predicateFormat }
    override var description: String { predicateFormat }
    override var hash: Int { storage.node.hashValue }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        PredicateObjects.isEqual(self, storage.node, object)
    }

    override func evaluate(with object: Any?) -> Bool {
        Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: nil) }
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { $0.evaluate(with: object, bindings: bindings) }
    }
}

/// The subpredicate objects of a compound predicate, created on first access.
private final class AtomicChildren {
    private final class Box: @unchecked Sendable {
        let predicates: [NSPredicate]
        init(_ predicates: [NSPredicate]) { self.predicates = predicates }
    }

    private let box = MadeOnce<Box>()

    func value(_ make: () -> [NSPredicate]) -> [NSPredicate] {
        if let box = box.load() { return box.predicates }
        return box.storeIfNil(Box(make())).predicates
    }
}

/// Conversion between predicate objects and trees.
enum PredicateObjects {
    static func make(_ node: PredicateNode, mayEvaluate: Bool = true) -> NSPredicate {
        make(PredicateStorage(node, mayEvaluate: mayEvaluate))
    }

    static func make(_ storage: PredicateStorage) -> NSPredicate {
        _ = FoundationRepair.isInstalled
        switch storage.form {
        case .constant: return TreePredicate(storage: storage)
        case .comparison: return TreeComparisonPredicate.make(storage)
        case .and, .or, .not: return TreeCompoundPredicate(storage: storage)
        case .opaque:
            guard case .opaque(let predicate) = storage.node else { return TreePredicate(storage: storage) }
            return predicate
        }
    }

    /// Creates the predicate object for an initializer called on `type`.
    static func make<P: NSPredicate>(_ node: PredicateNode, as type: P.Type) -> P {
        make(PredicateStorage(node), as: type)
    }

    static func make<P: NSPredicate>(_ storage: PredicateStorage, as type: P.Type) -> P {
        let predicate = make(storage)
        if type == NSPredicate.self { return unsafeDowncast(predicate, to: type) }
        if let result = predicate as? P { return result }
        if storage.form == .comparison, let result = ComparisonCarrier.make(storage, as: type) { return result }
        fatalError(
            """
            The predicate "\(storage.node.predicateFormat)" is a \(Swift.type(of: predicate)), not a \(P.self). \
            Create it with NSPredicate, and make your own subclasses of NSPredicate with init(block:).
            """)
    }

    static func storage(of predicate: NSPredicate) -> PredicateStorage? {
        switch predicate {
        case let tree as TreeComparisonPredicate: tree.storage
        case let tree as TreeCompoundPredicate: tree.storage
        case let tree as TreePredicate: tree.storage
        case is NSComparisonPredicate: ComparisonCarrier.storage(of: predicate)
        default: nil
        }
    }

    static func node(of predicate: NSPredicate) -> PredicateNode {
        _ = FoundationRepair.isInstalled
        if let storage = storage(of: predicate) { return storage.node }
        if let compound = predicate as? NSCompoundPredicate { return CompoundReader.node(of: compound) }
        guard type(of: predicate) == NSPredicate.self else { return .opaque(predicate) }
        switch format(of: predicate) {
        case "TRUEPREDICATE": return .constant(true)
        case "FALSEPREDICATE": return .constant(false)
        default: return .opaque(predicate)
        }
    }

    /// Returns `predicateFormat` of any predicate, without Foundation's deprecation warning.
    static func format(of predicate: NSPredicate) -> String {
        let reader: any FormatReading = FormatReader()
        return reader.format(of: predicate)
    }

    static func compound(_ type: NSCompoundPredicate.LogicalType, _ nodes: [PredicateNode]) -> PredicateNode {
        switch type {
        case .and: return .conjunction(nodes)
        case .or: return .disjunction(nodes)
        case .not:
            guard nodes.count == 1 else {
                fatalError("A NOT compound predicate takes exactly one subpredicate, not \(nodes.count)")
            }
            return .negation(nodes[0])
        }
    }

    static func children(of node: PredicateNode) -> [NSPredicate] {
        switch node {
        case .and(let nodes), .or(let nodes): nodes.map { make($0) }
        case .not(let node): [make(node)]
        default: []
        }
    }

    static func isEqual(_ predicate: NSPredicate, _ node: PredicateNode, _ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return other === predicate || self.node(of: other) == node
    }
}

/// Reads `predicateFormat` of Foundation's own predicates, which Foundation marks deprecated off Apple's platforms; a call
/// through a protocol causes no warning.
private protocol FormatReading {
    func format(of predicate: NSPredicate) -> String
}

private struct FormatReader: FormatReading {
    @available(*, deprecated)
    func format(of predicate: NSPredicate) -> String { predicate.predicateFormat }
}
