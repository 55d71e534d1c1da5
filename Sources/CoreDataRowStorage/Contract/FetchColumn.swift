import PredicateFormat

/// One value of the dictionaries a fetch gives.
package struct FetchColumn {
    package enum Content {
        /// The property at the end of these keys.
        case path([String])
        /// What is computed, and the kind of the result; nil for the one that follows from the expression.
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

/// What a fetch of dictionaries asks for besides rows.
package struct FetchTable {
    /// nil for all stored attributes, and to-one relationships where the store gives them.
    package var columns: [FetchColumn]?
    /// Rows with equal values of these become one dictionary.
    package var groups: [FetchColumn] = []
    /// Which groups to give.
    package var having: NSPredicate?
    /// Whether equal dictionaries are given once.
    package var isDistinct = false

    package init() {}
}
