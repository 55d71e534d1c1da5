/// Limits the nesting of compounds. Compounds built up one condition at a time would nest thousands of levels deep, while all
/// functions over trees, deallocation included, are recursive. So AND in AND, OR in OR and NOT in NOT keep their nesting up to
/// a limit only.
extension PredicateNode {
    /// The number of levels of directly nested compounds of one kind that are kept.
    package static let keptLevels = 25

    /// The maximum nesting of compounds, of any kind, that is read.
    package static let deepestCompound = 100

    /// Returns the conjunction of the operands. AND in AND nested deeper than ``keptLevels`` is flattened.
    package static func conjunction(_ nodes: [PredicateNode]) -> PredicateNode { joined(.and, nodes) }

    /// Returns the disjunction of the operands. OR in OR nested deeper than ``keptLevels`` is flattened.
    package static func disjunction(_ nodes: [PredicateNode]) -> PredicateNode { joined(.or, nodes) }

    /// Returns the negation of a predicate. Pairs of NOT nested deeper than ``keptLevels`` cancel out.
    package static func negation(_ node: PredicateNode) -> PredicateNode { joined(.not, [node]) }

    private static func joined(_ kind: PredicateForm, _ nodes: [PredicateNode]) -> PredicateNode {
        guard nodes.contains(where: { $0.levels(of: kind, upTo: keptLevels) >= keptLevels }) else {
            return made(kind, nodes)
        }
        if kind == .not {
            let (node, isNegated) = nodes[0].withoutNegations
            return isNegated ? .not(.not(node)) : .not(node)
        }
        return made(kind, operands(of: kind, in: nodes))
    }

    private static func made(_ kind: PredicateForm, _ nodes: [PredicateNode]) -> PredicateNode {
        switch kind {
        case .and: .and(nodes)
        case .or: .or(nodes)
        default: .not(nodes[0])
        }
    }

    private func levels(of kind: PredicateForm, upTo limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        switch self {
        case .and(let nodes) where kind == .and, .or(let nodes) where kind == .or:
            return 1 + (nodes.lazy.map { $0.levels(of: kind, upTo: limit - 1) }.max() ?? 0)
        case .not(let node) where kind == .not: return 1 + node.levels(of: kind, upTo: limit - 1)
        default: return 0
        }
    }

    /// Returns the operands of nested compounds of one kind, in order.
    private static func operands(of kind: PredicateForm, in nodes: [PredicateNode]) -> [PredicateNode] {
        var (result, pending) = ([PredicateNode](), Array(nodes.reversed()))
        while let node = pending.popLast() {
            switch node {
            case .and(let inner) where kind == .and, .or(let inner) where kind == .or: pending += inner.reversed()
            default: result.append(node)
            }
        }
        return result
    }

    private var withoutNegations: (node: PredicateNode, isNegated: Bool) {
        var (node, isNegated) = (self, false)
        while case .not(let inner) = node {
            node = inner
            isNegated.toggle()
        }
        return (node, isNegated)
    }
}

// MARK: - Depth

extension PredicateNode {
    /// The number of levels of the tree.
    var depth: Int {
        switch self {
        case .constant, .opaque: 1
        case .and(let nodes), .or(let nodes): 1 + (nodes.lazy.map(\.depth).max() ?? 0)
        case .not(let node): 1 + node.depth
        case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
        }
    }
}

extension ExpressionNode {
    /// The number of levels of the tree.
    var depth: Int {
        switch self {
        case .constant, .evaluatedObject, .variable, .symbolicIndex, .anyKey: 1
        case .keyPath(_, of: let base): 1 + base.depth
        case .function(_, let arguments), .aggregate(let arguments), .block(_, let arguments):
            1 + (arguments.lazy.map(\.depth).max() ?? 0)
        case .message(let target, _, let arguments):
            1 + max(target.depth, arguments.lazy.map(\.depth).max() ?? 0)
        case .set(_, let left, let right): 1 + max(left.depth, right.depth)
        case .subquery(let collection, variable: _, let predicate): 1 + max(collection.depth, predicate.depth)
        case .conditional(let predicate, let yes, let no): 1 + max(predicate.depth, yes.depth, no.depth)
        case .assignment(variable: _, let expression): 1 + expression.depth
        case .fetch(let request, let context, let countOnly): 1 + max(request.depth, context.depth, countOnly.depth)
        }
    }
}
