import PredicateFormat

/// A fetch inside a predicate: `FETCH(request, context, countOnly)`.
package struct NestedFetch {
    package var entityName: String
    package var includesSubentities: Bool
    package var isCount = false
    /// The property that the request fetches, for `IN`; nil for the object itself.
    package var property: String?
    package var predicate: PredicateNode?

    package init(entityName: String, includesSubentities: Bool) {
        self.entityName = entityName
        self.includesSubentities = includesSubentities
    }

    /// Creates the fetch from the parts of an expression; returns nil if they are not constants.
    package init?(_ node: ExpressionNode, countOnly: ExpressionNode) {
        guard case .constant(let value) = node, var fetch = (value as? any NestedFetching)?.nestedFetch else {
            return nil
        }
        if case .constant(let flag) = countOnly { fetch.isCount = (flag as? Bool) ?? false }
        self = fetch
    }
}

/// A request of the graph that may be part of a predicate.
package protocol NestedFetching {
    /// The request as a nested fetch; nil if it has no entity.
    var nestedFetch: NestedFetch? { get }
}
