import Foundation

/// Rewrites the comparisons of a converted predicate to Swift's semantics for missing values.
///
/// SQL has three truth values, evaluation in memory has two: `style != "jazz"` excludes rows without a style in SQL but matches
/// such objects in memory, as in Swift. The rewritten predicate states the result for missing values explicitly, so that both
/// match the same objects. Comparisons of operands that always have a value are left as they are.
struct MissingValues {
    /// The paths that always have a value according to the Swift types.
    let present: Set<ExpressionNode>

    /// Returns an equivalent of `node` that matches the same objects in SQL and in memory.
    func holds(_ node: PredicateNode) -> PredicateNode {
        switch node {
        case .constant, .opaque: node
        case .and(let nodes): .and(nodes.map(holds))
        case .or(let nodes): Self.or(nodes.map(holds))
        case .not(let node): fails(node)
        case .comparison(let comparison): holds(comparison)
        }
    }

    /// Returns the negation of ``holds(_:)-(PredicateNode)``.
    private func fails(_ node: PredicateNode) -> PredicateNode {
        guard isUnknowable(node) else { return .not(holds(node)) }
        switch node {
        case .constant, .opaque: return .not(node)
        case .and(let nodes): return Self.or(nodes.map(fails))
        case .or(let nodes): return .and(nodes.map(fails))
        case .not(let node): return holds(node)
        case .comparison(let comparison): return fails(comparison)
        }
    }

    /// Returns whether a side of a comparison in `node` may be missing, so that `NOT` does not negate it in SQL.
    private func isUnknowable(_ node: PredicateNode) -> Bool {
        switch node {
        case .constant, .opaque: false
        case .and(let nodes), .or(let nodes): nodes.contains(where: isUnknowable)
        case .not(let node): isUnknowable(node)
        case .comparison(let comparison):
            !comparison.left.isNil && !comparison.right.isNil
                && (missing(comparison.left) != nil || missing(comparison.right) != nil)
        }
    }

    // MARK: Comparisons

    private func holds(_ comparison: ComparisonNode) -> PredicateNode {
        let plain = PredicateNode.comparison(rewritten(comparison))
        guard !comparison.left.isNil, !comparison.right.isNil else { return plain }
        let (left, right) = (missing(comparison.left), missing(comparison.right))
        switch (comparison.comparison, left, right) {
        case (.equalTo, let left?, let right?): return Self.or([plain, .and([left, right])])
        case (.notEqualTo, let left?, let right?):
            return Self.or([plain, .and([left, Self.opposite(right)]), .and([Self.opposite(left), right])])
        case (.notEqualTo, let side?, nil), (.notEqualTo, nil, let side?): return Self.or([plain, side])
        case (.in, _, _):
            // In SQL, `IN` with a list that contains NULL is NULL wherever the element is not found.
            guard let present = comparison.right.withoutNil else { return plain }
            var comparison = rewritten(comparison)
            comparison.right = present
            return left.map { Self.or([.comparison(comparison), $0]) } ?? .comparison(comparison)
        default: return plain
        }
    }

    private func fails(_ comparison: ComparisonNode) -> PredicateNode {
        let plain = PredicateNode.not(.comparison(rewritten(comparison)))
        let (left, right) = (missing(comparison.left), missing(comparison.right))
        switch (comparison.comparison, left, right) {
        case (.equalTo, .some, .some), (.notEqualTo, .some, .some):
            var opposite = comparison
            opposite.comparison = comparison.comparison == .equalTo ? .notEqualTo : .equalTo
            return holds(opposite)
        case (.notEqualTo, _, _): return plain
        case (.in, let left?, _):
            guard let present = comparison.right.withoutNil else { break }
            var comparison = rewritten(comparison)
            comparison.right = present
            return .and([.not(.comparison(comparison)), Self.opposite(left)])
        default: break
        }
        return Self.or([plain] + [left, right].compactMap(\.self))
    }

    private func rewritten(_ comparison: ComparisonNode) -> ComparisonNode {
        var result = comparison
        result.left = rewritten(comparison.left)
        result.right = rewritten(comparison.right)
        return result
    }

    // MARK: Expressions

    /// Returns the expression with the predicates inside it rewritten.
    func rewritten(_ node: ExpressionNode) -> ExpressionNode {
        switch node {
        case .keyPath(let keys, of: let base): .path(keys, of: rewritten(base))
        case .function(let function, let arguments): .function(function, arguments.map(rewritten))
        case .aggregate(let elements): .aggregate(elements.map(rewritten))
        case .subquery(let collection, variable: let name, let predicate):
            .subquery(rewritten(collection), variable: name, holds(predicate))
        case .conditional(let predicate, let yes, let no):
            .conditional(holds(predicate), rewritten(yes), rewritten(no))
        default: node
        }
    }

    /// Returns the condition that an expression has no value; nil if it always has one.
    private func missing(_ node: ExpressionNode) -> PredicateNode? {
        switch node {
        case .constant: return node.isNil ? .constant(true) : nil
        case .keyPath(let keys, of: let base): return missing(node, keys, base)
        case .function(.index, _): return Self.isNil(rewritten(node))
        case .function(_, let arguments), .aggregate(let arguments):
            let parts = arguments.compactMap(missing)
            return parts.count > 1 ? Self.or(parts) : parts.first
        case .conditional(let predicate, let yes, let no): return missing(predicate, yes, no)
        default: return nil
        }
    }

    private func missing(_ node: ExpressionNode, _ keys: [String], _ base: ExpressionNode) -> PredicateNode? {
        if present.contains(node) { return nil }
        if let place = keys.firstIndex(where: { $0.hasPrefix("@") }) {
            guard ["@min", "@max"].contains(keys[place]) else { return nil }
            let count = ExpressionNode.path(keys[..<place] + ["@count"], of: rewritten(base))
            return .comparison(ComparisonNode(count, .equalTo, .constant(0)))
        }
        if keys.last == "length" { return missing(.path(Array(keys.dropLast()), of: base)) }
        return Self.isNil(rewritten(node))
    }

    private func missing(
        _ predicate: PredicateNode, _ yes: ExpressionNode, _ no: ExpressionNode
    ) -> PredicateNode? {
        var first = missing(yes)
        let second = missing(no)
        if case .comparison(let test) = predicate, test.comparison == .notEqualTo, test.right.isNil {
            if yes == test.left { first = nil }
            // A path through a missing object has no value either.
            if no.isNil, let first, yes.goes(through: test.left) { return first }
        }
        if no.isNil { return first.map { Self.or([fails(predicate), $0]) } ?? fails(predicate) }
        let parts = [
            first.map { PredicateNode.and([holds(predicate), $0]) },
            second.map { .and([fails(predicate), $0]) },
        ].compactMap(\.self)
        return parts.count > 1 ? Self.or(parts) : parts.first
    }

    // MARK: Parts

    private static func isNil(_ node: ExpressionNode) -> PredicateNode {
        .comparison(ComparisonNode(node, .equalTo, .constant(nil)))
    }

    /// Returns the negation of a condition that is never NULL.
    private static func opposite(_ node: PredicateNode) -> PredicateNode {
        if case .comparison(var test) = node, test.comparison == .equalTo, test.right.isNil {
            test.comparison = .notEqualTo
            return .comparison(test)
        }
        return .not(node)
    }

    /// Returns the disjunction of `nodes`, with nested disjunctions flattened.
    private static func or(_ nodes: [PredicateNode]) -> PredicateNode {
        .or(
            nodes.flatMap { node in
                if case .or(let inner) = node { return inner }
                return [node]
            })
    }
}

extension ExpressionNode {
    fileprivate var isNil: Bool {
        guard case .constant(let value) = self else { return false }
        return value == nil || value is NSNull
    }

    /// The constant list without its nils; nil for other expressions and lists without nil.
    fileprivate var withoutNil: ExpressionNode? {
        guard case .constant(let value) = self, let list = value as? any PredicateCollection else { return nil }
        let elements = list.predicateElements
        let present = elements.filter { !($0 is NSNull) }
        return present.count == elements.count ? nil : .constant(present)
    }

    /// The path of an optional chain, `TERNARY(a != nil, a.b, nil)`; nil for other expressions.
    var chainedPath: ExpressionNode? {
        guard case .conditional(.comparison(let test), let path, let other) = self, other.isNil, test.right.isNil,
            test.comparison == .notEqualTo, path.goes(through: test.left)
        else { return nil }
        return path
    }

    fileprivate func goes(through node: ExpressionNode) -> Bool {
        guard case .keyPath(let keys, of: let base) = self else { return false }
        switch node {
        case .keyPath(let head, of: let start):
            return base == start && keys.count > head.count && keys.starts(with: head)
        default: return base == node
        }
    }
}
