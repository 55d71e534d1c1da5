import CoreData

// SQL has three truth values and evaluation in memory two, so the same predicate may find other objects in a SQLite store
// than in memory, where unsaved objects and those of other stores are compared. Conditions mean what Swift's operators
// mean with optionals, and their predicates state it: every comparison here is false where a value is missing, and the
// cases that are true there are added explicitly.

extension ConditionNode {
    /// The condition in comparisons that are false wherever a value is missing, in SQL as in memory.
    var explicit: ConditionNode { explicit(true) }

    /// Returns the condition, or its opposite, in the same terms.
    private func explicit(_ holds: Bool) -> ConditionNode {
        switch self {
        case .always(let value): return .always(value == holds)
        // Keeps its own meaning.
        case .predicate: return holds ? self : .not(self)
        case .not(let part): return part.explicit(!holds)
        case .all(let parts), .any(let parts):
            let parts = parts.map { $0.explicit(holds) }
            if case .all = self { return holds ? .all(parts) : .anyOf(parts) }
            return holds ? .anyOf(parts) : .all(parts)
        case .quantified(let quantifier, let path, let inner):
            // Core Data's SQLite store has no ALL, which is "none that does not".
            let inner = inner.explicit(quantifier != .all)
            return (quantifier == .any) == holds ? .quantified(.any, path: path, inner) : Self.none(path, inner)
        case .comparison(let left, let operation, let right):
            if holds { return Self.explicit(left, operation, right) }
            switch operation {
            case "==": return Self.explicit(left, "!=", right)
            case "!=": return Self.explicit(left, "==", right)
            default: return Self.unless(Self.explicit(left, operation, right))
            }
        }
    }

    private static func explicit(_ left: Operand, _ operation: String, _ right: Operand) -> ConditionNode {
        let (left, right) = (left.explicit, right.explicit)
        switch (operation, right) {
        case ("==", .constant(nil)): return left.missing ?? .always(false)
        case ("!=", .constant(nil)): return left.missing.map(unless) ?? .always(true)
        // Nothing is less or greater than no value, or contained in it.
        case (_, .constant(nil)): return .always(false)
        case ("==", _):
            let equal = comparison(left, operation, behind: right)
            guard let rightIsMissing = right.missing, let leftIsMissing = left.missing else { return equal }
            return .any([equal, .all([leftIsMissing, rightIsMissing])])
        case ("!=", _):
            let differs = ConditionNode.comparison(left, operation, right)
            guard let leftIsMissing = left.missing, let rightIsMissing = right.missing else {
                return differs.or(left.missing ?? right.missing)
            }
            let (leftIsThere, rightIsThere) = (unless(leftIsMissing), unless(rightIsMissing))
            return .any([
                .all([differs, leftIsThere, rightIsThere]), .all([leftIsMissing, rightIsThere]),
                .all([leftIsThere, rightIsMissing]),
            ])
        case ("IN", .list(let values)) where values.contains(where: { $0 is NSNull }):
            let present = values.filter { !($0 is NSNull) }
            let missing = left.missing ?? .always(false)
            return present.isEmpty ? missing : .any([comparison(left, operation, behind: .list(present)), missing])
        default: return comparison(left, operation, behind: right)
        }
    }

    /// Returns a comparison that is false where a computed value lies behind a relationship without object: SQL counts 0
    /// there, and evaluation in memory finds no value.
    private static func comparison(_ left: Operand, _ operation: String, behind right: Operand) -> ConditionNode {
        let comparison = ConditionNode.comparison(left, operation, right)
        let relationships = left.relationshipsBefore + right.relationshipsBefore
        if relationships.isEmpty { return comparison }
        return .all(relationships.map { .comparison($0, "!=", .constant(nil)) } + [comparison])
    }

    /// Returns the condition that no related object fulfils an explicit condition. There are none behind a relationship
    /// without object.
    private static func none(_ path: KeyPathName.Outcome, _ inner: ConditionNode) -> ConditionNode {
        ConditionNode.quantified(.none, path: path, inner).or(Operand.relationshipBefore(path)?.isMissing)
    }

    /// Returns the opposite of an explicit condition.
    private static func unless(_ node: ConditionNode) -> ConditionNode {
        switch node {
        case .always(let value): .always(!value)
        case .comparison(let left, "==", .constant(nil)): .comparison(left, "!=", .constant(nil))
        case .comparison(let left, "!=", .constant(nil)): .comparison(left, "==", .constant(nil))
        case .any(let parts): .all(parts.map(unless))
        case .all(let parts): .any(parts.map(unless))
        case .comparison(let left, _, let right):
            [left.missing, right.missing].compactMap(\.self).reduce(.not(node)) { $0.or($1) }
        default: .not(node)
        }
    }

    /// Returns the disjunction of conditions, flattening those that are disjunctions.
    private static func anyOf(_ parts: [ConditionNode]) -> ConditionNode {
        .any(parts.flatMap { if case .any(let inner) = $0 { inner } else { [$0] } })
    }
}

extension ConditionNode.Operand {
    fileprivate var explicit: ConditionNode.Operand {
        switch self {
        case .path, .variable, .constant, .list, .aggregate: self
        case .function(let name, let operands): .function(name, operands.map(\.explicit))
        case .count(let path, let condition): .count(path: path, where: condition.explicit)
        }
    }

    fileprivate var isMissing: ConditionNode { .comparison(self, "==", .constant(nil)) }

    /// The condition that this has no value; `nil` for what always has one.
    fileprivate var missing: ConditionNode? {
        switch self {
        case .path: return isMissing
        case .variable, .constant, .list: return nil
        case .function(_, let operands):
            let parts = operands.compactMap(\.missing)
            return parts.count > 1 ? .any(parts) : parts.first
        case .count(let path, _), .aggregate(let path, "count", _), .aggregate(let path, "sum", _):
            return Self.relationshipBefore(path).map(\.isMissing)
        case .aggregate(let path, _, let key):
            guard let key else { return nil }
            let values = ConditionNode.comparison(.path(key), "!=", .constant(nil))
            let none = ConditionNode.comparison(.count(path: path, where: values), "==", .constant(0))
            return Self.relationshipBefore(path).map { .any([$0.isMissing, none]) } ?? none
        }
    }

    /// The to-one relationships that computed values lie behind: the `team` of `team.members.@count`.
    fileprivate var relationshipsBefore: [ConditionNode.Operand] {
        switch self {
        case .path, .variable, .constant, .list: []
        case .function(_, let operands): operands.flatMap(\.relationshipsBefore)
        case .count(let path, _), .aggregate(let path, _, _): Self.relationshipBefore(path).map { [$0] } ?? []
        }
    }

    fileprivate static func relationshipBefore(_ path: KeyPathName.Outcome) -> ConditionNode.Operand? {
        guard case .success(let name) = path, let dot = name.lastIndex(of: ".") else { return nil }
        return .path(.success(String(name[..<dot])))
    }
}
