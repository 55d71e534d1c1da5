import PredicateFormat

/// One column of a fetch of dictionaries.
package struct FetchColumn {
    package enum Content {
        /// The property at the end of a key path.
        case path([String])
        /// An expression, and the kind of its result; nil for the kind that follows from the expression.
        case expression(ExpressionNode, CellKind?)
    }

    /// The value's key in each dictionary.
    package var name: String
    package var content: Content

    package init(name: String, content: Content) {
        self.name = name
        self.content = content
    }
}

/// The parts of a request that only fetches of dictionaries have.
package struct FetchTable {
    /// The columns; nil for all stored attributes, and to-one relationships if the store provides them.
    package var columns: [FetchColumn]?
    /// The columns to group by: rows with equal values become one dictionary.
    package var groups: [FetchColumn] = []
    /// The filter of groups.
    package var having: NSPredicate?
    /// Whether equal dictionaries are returned once.
    package var isDistinct = false

    package init() {}
}
