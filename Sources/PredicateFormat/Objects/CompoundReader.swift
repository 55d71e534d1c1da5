import Foundation

/// Reads compound predicates that Foundation's initialisers made, however deep they are nested in each other.
///
/// Compounds of one kind in each other become one. What alternates deeper than ``PredicateNode/deepestCompound`` levels is
/// not looked into: all that reads trees recurses.
enum CompoundReader {
    /// The tree of a compound.
    static func node(of compound: NSCompoundPredicate) -> PredicateNode { node(of: compound, at: 0) }

    private static func node(of compound: NSCompoundPredicate, at level: Int) -> PredicateNode {
        guard level < PredicateNode.deepestCompound else { return .opaque(UnreadCompound(compound)) }
        if type(of: compound) != NSCompoundPredicate.self { FoundationRepair.repairCompound(type(of: compound)) }
        let kind = compound.compoundPredicateType
        let children = level < PredicateNode.keptLevels ? compound.subpredicates : operands(of: compound, kind)
        let nodes = children.map { child in
            guard let inner = plainCompound(child) else { return PredicateObjects.node(of: child) }
            return node(of: inner, at: level + 1)
        }
        return PredicateObjects.compound(kind, nodes)
    }

    /// The operands of compounds of one kind inside each other. Pairs of NOT are left out.
    private static func operands(
        of compound: NSCompoundPredicate, _ kind: NSCompoundPredicate.LogicalType
    ) -> [NSPredicate] {
        if kind == .not { return [withoutPairsOfNegations(compound.subpredicates[0])] }
        var (result, pending) = ([NSPredicate](), Array(compound.subpredicates.reversed()))
        while let next = pending.popLast() {
            if let inner = plainCompound(next), inner.compoundPredicateType == kind {
                pending += inner.subpredicates.reversed()
            } else {
                result.append(next)
            }
        }
        return result
    }

    private static func withoutPairsOfNegations(_ predicate: NSPredicate) -> NSPredicate {
        var current = predicate
        while let outer = plainCompound(current), outer.compoundPredicateType == .not,
            let inner = plainCompound(outer.subpredicates[0]), inner.compoundPredicateType == .not
        {
            current = inner.subpredicates[0]
        }
        return current
    }

    /// A compound whose parts are to be read: one that this module did not make.
    private static func plainCompound(_ predicate: NSPredicate) -> NSCompoundPredicate? {
        guard let compound = predicate as? NSCompoundPredicate, !(compound is TreeCompoundPredicate) else { return nil }
        return compound
    }

    // MARK: Evaluation

    fileprivate struct Frame {
        let kind: NSCompoundPredicate.LogicalType
        let children: [NSPredicate]
        var next = 0

        init(_ compound: NSCompoundPredicate) {
            kind = compound.compoundPredicateType
            children = compound.subpredicates
        }

        /// What the compound is when no operand decided it.
        var exhausted: Bool { kind == .and }
    }

    /// Evaluates left to right as far as needed.
    static func evaluate(_ compound: NSCompoundPredicate, with object: Any?, _ bindings: [String: Any]?) -> Bool {
        var outer: [Frame] = []
        var frame = Frame(compound)
        while true {
            var result: Bool
            if frame.next < frame.children.count {
                let child = frame.children[frame.next]
                frame.next += 1
                if type(of: child) == NSCompoundPredicate.self, let inner = child as? NSCompoundPredicate {
                    outer.append(frame)
                    frame = Frame(inner)
                    continue
                }
                result = child.evaluate(with: object, substitutionVariables: bindings)
            } else {
                result = frame.exhausted
                guard let parent = outer.popLast() else { return result }
                frame = parent
            }
            // Hands the result of an operand to its compound, and on while that decides the compound.
            while let decided = frame.decided(by: result) {
                guard let parent = outer.popLast() else { return decided }
                (frame, result) = (parent, decided)
            }
        }
    }

    // MARK: Freeing

    /// Frees what is inside a compound that is being freed, level by level.
    static func takeApart(_ compound: NSCompoundPredicate) {
        guard compound.subpredicates.contains(where: { type(of: $0) == NSCompoundPredicate.self }) else { return }
        var pending = compound.subpredicates
        compound.subpredicates = []
        while var next = pending.popLast() {
            guard type(of: next) == NSCompoundPredicate.self, isKnownUniquelyReferenced(&next),
                let inner = next as? NSCompoundPredicate
            else { continue }
            pending += inner.subpredicates
            inner.subpredicates = []
        }
    }
}

/// A compound that lies too deep to be looked into. It can be evaluated, without recursion, but not be part of a query.
final class UnreadCompound: NSPredicate {
    fileprivate let compound: NSCompoundPredicate

    init(_ compound: NSCompoundPredicate) {
        self.compound = compound
        super.init(block: UnreadCompound.unreachable)
    }

    private static func unreachable(_ object: Any?, _ bindings: [String: Any]?) -> Bool { false }

    override var predicateFormat: String { "(nested more than \(PredicateNode.deepestCompound) levels deep)" }
    override var description: String { predicateFormat }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func evaluate(with object: Any?) -> Bool { CompoundReader.evaluate(compound, with: object, nil) }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        CompoundReader.evaluate(compound, with: object, bindings)
    }
}

extension CompoundReader.Frame {
    /// The value of the compound after one of its operands was `result`; nil while others have to be asked.
    fileprivate func decided(by result: Bool) -> Bool? {
        switch kind {
        case .and: result ? nil : false
        case .or: result ? true : nil
        case .not: !result
        }
    }
}

extension NSPredicate {
    /// Whether this is what was left unread of a predicate that is nested too deep.
    package var isNestedTooDeep: Bool { self is UnreadCompound }

    /// What makes opaque predicates equal.
    var identity: ObjectIdentifier { ObjectIdentifier((self as? UnreadCompound)?.compound ?? self) }
}
