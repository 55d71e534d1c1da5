import PredicateFormat

/// Merges conditions on one to-many relationship into one subselect.
///
/// `ANY tags.name == 'a' OR ANY tags.name == 'b'` is `ANY (tags.name == 'a' OR tags.name == 'b')`, and the same holds for
/// `NONE` and `ALL` under AND. With a subselect per term, hundreds of terms take cubic time: every subselect opens cursors,
/// and opening one makes SQLite check all open cursors on the same table.
extension SQLCompiler {
    /// Returns the SQL of an AND's or OR's operands. Operands that can share a subselect are merged at the position of the
    /// first.
    func operands(of kind: Compound, _ nodes: [PredicateNode], _ scope: QueryScope) throws -> [SQLFragment] {
        var groups: [[PredicateNode]] = []
        var groupByPath: [String: Int] = [:]
        for node in nodes {
            guard nodes.count > 1, let path = Self.condition(in: node, of: kind)?.path else {
                groups.append([node])
                continue
            }
            if let group = groupByPath[path] {
                groups[group].append(node)
            } else {
                groupByPath[path] = groups.count
                groups.append([node])
            }
        }
        return try groups.flatMap { group -> [SQLFragment] in
            if group.count > 1, let sql = try merged(group, of: kind, scope) { return ["(\(sql))"] }
            return try group.map { "(\(try predicate($0, scope)))" }
        }
    }

    /// The kind of a compound: AND or OR.
    enum Compound {
        case and, or

        var connective: String { self == .and ? " AND " : " OR " }
        /// The SQL of a compound without operands.
        var empty: SQLFragment { self == .and ? "1 = 1" : "1 = 0" }
    }

    /// A condition on each element of a to-many path.
    private struct ElementCondition {
        enum Kind: String {
            /// A condition of the form `ANY path …`.
            case any
            /// A condition of the form `ALL path …`.
            case all
            /// A condition of the form `path CONTAINS object` or `object IN path`.
            case contains
        }

        let kind: Kind
        let collection: ExpressionNode
        let other: ExpressionNode
        let comparison: ComparisonNode

        /// The merge key. Conditions with equal keys may share a subselect.
        var path: String? {
            guard case .keyPath(let keys, let base) = collection else { return nil }
            let isNegative = kind == .all ? "ALL " : ""
            switch base {
            case .evaluatedObject: return isNegative + keys.joined(separator: ".")
            case .variable(let name): return "\(isNegative)$\(name).\(keys.joined(separator: "."))"
            default: return nil
            }
        }
    }

    /// Returns the condition in an operand of OR, in a negated operand of AND, or in an ALL under AND.
    private static func condition(in node: PredicateNode, of kind: Compound) -> ElementCondition? {
        switch (kind, node) {
        case (.or, .comparison(let comparison)), (.and, .not(.comparison(let comparison))):
            return condition(comparison)
        case (.and, .comparison(let comparison)) where comparison.modifier == .all:
            return ElementCondition(
                kind: .all, collection: comparison.left, other: comparison.right, comparison: comparison)
        default: return nil
        }
    }

    private static func condition(_ node: ComparisonNode) -> ElementCondition? {
        switch (node.modifier, node.comparison) {
        case (.any, _):
            return ElementCondition(kind: .any, collection: node.left, other: node.right, comparison: node)
        case (.direct, .contains):
            return ElementCondition(kind: .contains, collection: node.left, other: node.right, comparison: node)
        case (.direct, .in):
            return ElementCondition(kind: .contains, collection: node.right, other: node.left, comparison: node)
        default: return nil
        }
    }

    /// Returns one subselect for conditions of one path; nil if the path has no to-many relationship.
    private func merged(_ nodes: [PredicateNode], of kind: Compound, _ scope: QueryScope) throws -> SQLFragment? {
        let conditions = nodes.compactMap { Self.condition(in: $0, of: kind) }
        guard let first = conditions.first, case .toMany(let toMany) = try operand(first.collection, scope) else {
            return nil
        }
        let elements = try select("1", from: toMany) { element in
            chain(try conditions.map { "(\(try sql(of: $0, element, scope)))" }, .or)
        }
        return kind == .and ? "NOT EXISTS (\(elements))" : "EXISTS (\(elements))"
    }

    private func sql(of condition: ElementCondition, _ element: Operand, _ scope: QueryScope) throws -> SQLFragment {
        let node = condition.comparison
        let other = try operand(condition.other, scope)
        switch condition.kind {
        case .any: return try success(of: node, element, other)
        case .all: return try failure(of: node, element, other)
        case .contains: return try equality(element, .equalTo, other, node.options, node)
        }
    }
}
