import CoreData

// SQL has three truth values and evaluation in memory two, so the same predicate may find other objects in a SQLite store
// than in memory, where unsaved objects and those of other stores are compared. Conditions mean what Swift's operators
// mean with optionals, and say so in their predicates: every comparison here is false where a value is missing, and what
// is true there is added in words of its own.

extension ConditionNode {
    /// The condition in comparisons that are false wherever a value is missing, in SQL as in memory.
    var explicit: ConditionNode {
        switch self {
        case .always, .predicate: self
        case .comparison(let left, let operation, let right): Self.explicit(left, operation, right)
        // Core Data's SQLite store has no ALL.
        case .quantified(.all, let path, let inner): .quantified(.none, path: path, inner.negated)
        case .quantified(let quantifier, let path, let inner): .quantified(quantifier, path: path, inner.explicit)
        case .all(let parts): .all(parts.map(\.explicit))
        case .any(let parts): .anyOf(parts.map(\.explicit))
        case .not(let part): part.negated
        }
    }

    /// The opposite, in the same terms.
    private var negated: ConditionNode {
        switch self {
        case .always(let value): .always(!value)
        // Keeps its own meaning.
        case .predicate: .not(self)
        case .not(let part): part.explicit
        case .all(let parts): .anyOf(parts.map(\.negated))
        case .any(let parts): .all(parts.map(\.negated))
        case .quantified(.any, let path, let inner): .quantified(.none, path: path, inner.explicit)
        case .quantified(.none, let path, let inner): .quantified(.any, path: path, inner.explicit)
        case .quantified(.all, let path, let inner): .quantified(.any, path: path, inner.negated)
        case .comparison(let left, "==", let right): Self.explicit(left, "!=", right)
        case .comparison(let left, "!=", let right): Self.explicit(left, "==", right)
        case .comparison(let left, let operation, let right):
            Self.unless(Self.explicit(left, operation, right))
        }
    }

    private static func explicit(_ left: Operand, _ operation: String, _ right: Operand) -> ConditionNode {
        let (left, right) = (left.explicit, right.explicit)
        switch (operation, right) {
        case ("==", .constant(nil)), ("!=", .constant(nil)):
            return .comparison(left, operation, right)
        case (_, .constant(nil)):
            // Nothing is less or greater than no value, or contained in it.
            return .always(false)
        case ("==", .path):
            let equal = ConditionNode.comparison(left, operation, right)
            return .any([equal, .all([left.isMissing, right.isMissing])])
        case ("!=", .path):
            return .any([
                .all([.comparison(left, operation, right), left.isThere, right.isThere]),
                .all([left.isMissing, right.isThere]), .all([left.isThere, right.isMissing]),
            ])
        case ("!=", _):
            return or(.comparison(left, operation, right), left.missing)
        case ("IN", .list(let values)) where values.contains(where: { $0 is NSNull }):
            let present = values.filter { !($0 is NSNull) }
            let missing = ConditionNode.comparison(left, "==", .constant(nil))
            return present.isEmpty ? missing : .any([.comparison(left, operation, .list(present)), missing])
        default:
            return .comparison(left, operation, right)
        }
    }

    /// The opposite of an explicit condition.
    private static func unless(_ node: ConditionNode) -> ConditionNode {
        switch node {
        case .always(let value): .always(!value)
        case .comparison(let left, "==", .constant(nil)): .comparison(left, "!=", .constant(nil))
        case .any(let parts): .all(parts.map(unless))
        case .all(let parts): .any(parts.map(unless))
        case .comparison(let left, _, let right):
            [left.missing, right.missing].compactMap(\.self).reduce(.not(node)) { or($0, $1) }
        default: .not(node)
        }
    }

    /// One of the conditions, those that are such lists themselves taken apart.
    private static func anyOf(_ parts: [ConditionNode]) -> ConditionNode {
        .any(
            parts.flatMap { part in
                if case .any(let inner) = part { return inner }
                return [part]
            })
    }

    private static func or(_ node: ConditionNode, _ other: ConditionNode?) -> ConditionNode {
        guard let other else { return node }
        if case .any(let parts) = node { return .any(parts + [other]) }
        return .any([node, other])
    }
}

extension ConditionNode.Operand {
    fileprivate var explicit: ConditionNode.Operand {
        switch self {
        case .path, .constant, .list, .aggregate: self
        case .function(let name, let operands): .function(name, operands.map(\.explicit))
        case .count(let path, let condition): .count(path: path, where: condition.explicit)
        }
    }

    fileprivate var isMissing: ConditionNode { .comparison(self, "==", .constant(nil)) }
    fileprivate var isThere: ConditionNode { .comparison(self, "!=", .constant(nil)) }

    /// The condition that this has no value; `nil` for what always has one.
    fileprivate var missing: ConditionNode? {
        switch self {
        case .path: return isMissing
        case .constant, .list, .count, .aggregate(_, "count", _), .aggregate(_, "sum", _): return nil
        case .function(_, let operands):
            let parts = operands.compactMap(\.missing)
            return parts.count > 1 ? .any(parts) : parts.first
        case .aggregate(let path, _, let key):
            guard let key else { return nil }
            let values = ConditionNode.comparison(.path(key), "!=", .constant(nil))
            return .comparison(.count(path: path, where: values), "==", .constant(0))
        }
    }
}
