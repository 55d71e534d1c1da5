import Foundation

/// Reads compound predicates created by Foundation's initializers, at any nesting depth.
///
/// Nested compounds of the same kind are flattened. Alternating compounds nested deeper than ``PredicateNode/deepestCompound``
/// levels are left opaque, because functions over trees are recursive.
enum CompoundReader {
    /// Returns the tree of a compound.
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

    /// Returns the operands of a compound, with nested compounds of the same kind flattened and double negations removed.
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

    /// Returns the predicate as a compound to read; nil if this module created it or it is not a compound.
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

        /// The value of the compound if no operand decided it.
        var exhausted: Bool { kind == .and }
    }

    /// Evaluates left to right with short-circuiting, without recursion.
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
            // Passes the result of an operand to its compound, and up as long as it decides the compound.
            while let decided = frame.decided(by: result) {
                guard let parent = outer.popLast() else { return decided }
                (frame, result) = (parent, decided)
            }
        }
    }

    // MARK: Freeing

    /// Releases the subpredicates of a compound that is being deallocated, level by level.
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

/// A compound nested too deeply to be read. It can be evaluated, without recursion, but not be part of a query.
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
    /// Returns the value of the compound if an operand with the value `result` decides it; nil otherwise.
    fileprivate func decided(by result: Bool) -> Bool? {
        switch kind {
        case .and: result ? nil : false
        case .or: result ? true : nil
        case .not: !result
        }
    }
}

extension NSPredicate {
    /// True if this is the unread part of a predicate that is nested too deeply.
    package var isNestedTooDeep: Bool { self is UnreadCompound }

    /// The identity by which opaque predicates are compared.
    var identity: ObjectIdentifier { ObjectIdentifier((self as? UnreadCompound)?.compound ?? self) }
}
