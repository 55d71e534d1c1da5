import PredicateFormat

/// A fetch inside a predicate: `FETCH(request, context, countOnly)`.
package struct NestedFetch {
    package var entityName: String
    package var includesSubentities: Bool
    package var isCount = false
    /// The one property the request fetches, for `IN`; the object itself if nil.
    package var property: String?
    package var predicate: PredicateNode?

    package init(entityName: String, includesSubentities: Bool) {
        self.entityName = entityName
        self.includesSubentities = includesSubentities
    }

    /// The fetch that the parts of an expression ask for; nil where they are no constants.
    package init?(_ node: ExpressionNode, countOnly: ExpressionNode) {
        guard case .constant(let value) = node, var fetch = (value as? any NestedFetching)?.nestedFetch else {
            return nil
        }
        if case .constant(let flag) = countOnly { fetch.isCount = (flag as? Bool) ?? false }
        self = fetch
    }
}

/// A request of the graph that may stand inside a predicate.
package protocol NestedFetching {
    /// nil for a request without an entity.
    var nestedFetch: NestedFetch? { get }
}
