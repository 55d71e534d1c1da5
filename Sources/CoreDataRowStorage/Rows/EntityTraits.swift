import PredicateFormat

/// What only the graph knows of an entity, and what is asked rarely: when tables or first objects are made, never for a row.
///
/// May be asked on any thread. What is a list is the entity's own, without what it inherits, if nothing else is said.
package protocol EntityTraits: AnyObject, Sendable {
    /// The value that new objects begin with.
    func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault
    /// The name of the class of an attribute's values, for messages.
    func valueClassName(of cell: EntityLayout.Cell) -> String?
    /// What a derived attribute is computed from; nil where the model does not say.
    func derivation(of cell: EntityLayout.Cell) -> ExpressionNode?

    var declaredIndexes: [IndexTraits] { get }
    /// The older compound indexes, as names of properties.
    var compoundIndexPaths: [[String]] { get }
    /// The uniqueness constraints, as names of properties.
    var constraintPaths: [[String]] { get }
    /// The names of all properties, inherited ones too, in the order of history's bits for what changed.
    var historyOrder: [String] { get }
}

/// An index that the model declares.
package struct IndexTraits {
    package enum Subject {
        case attribute(String)
        case relationship(String)
        /// An expression, as its text.
        case expression(String, name: String)
    }

    package struct Element {
        package let subject: Subject
        package let isAscending: Bool
        /// Part of a spatial index.
        package let isSpatial: Bool

        package init(subject: Subject, isAscending: Bool, isSpatial: Bool) {
            self.subject = subject
            self.isAscending = isAscending
            self.isSpatial = isSpatial
        }

        package var name: String {
            switch subject {
            case .attribute(let name), .relationship(let name), .expression(_, let name): name
            }
        }
    }

    package let name: String
    package let elements: [Element]
    /// Which rows it is over; nil for all.
    package let condition: PredicateNode?

    package init(name: String, elements: [Element], condition: PredicateNode?) {
        self.name = name
        self.elements = elements
        self.condition = condition
    }
}
