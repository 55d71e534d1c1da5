import PredicateFormat

/// The attributes that a predicate compares with constants, as far as an index could find the rows.
package struct ComparedKeys {
    /// The attributes compared for equality, in the outermost AND only.
    package private(set) var equal: [String] = []
    /// The attributes compared by order.
    package private(set) var ordered: [String] = []
    /// The attributes compared with several values at once.
    package private(set) var listed: [String] = []

    package init() {}

    package init(_ predicate: NSPredicate) { add(predicate.node) }

    /// The attribute that an index should begin with; nil if no index could help.
    package var indexable: String? { equal.first ?? listed.first ?? ordered.first }

    private mutating func add(_ node: PredicateNode) {
        switch node {
        case .and(let nodes): for node in nodes { add(node) }
        case .comparison(let comparison): add(comparison)
        default: break
        }
    }

    private mutating func add(_ comparison: ComparisonNode) {
        guard comparison.modifier == .direct, comparison.options == [] else { return }
        let key: String
        switch (comparison.left, comparison.right) {
        case (.keyPath(let keys, of: .evaluatedObject), .constant),
            (.keyPath(let keys, of: .evaluatedObject), .aggregate),
            (.constant, .keyPath(let keys, of: .evaluatedObject)):
            guard keys.count == 1 else { return }
            key = keys[0]
        default: return
        }
        switch comparison.comparison {
        case .equalTo: equal.append(key)
        case .in: listed.append(key)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: ordered.append(key)
        default: break
        }
    }
}
