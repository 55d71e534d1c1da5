import PredicateFormat

/// The properties of an entity that only the graph knows and that are rarely needed: to create tables or first objects, never
/// per row.
///
/// May be called on any thread. Lists exclude what the entity inherits, unless stated otherwise.
package protocol EntityTraits: AnyObject, Sendable {
    /// Returns the value of a slot in a new object.
    func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault
    /// Returns the name of the class of an attribute's values, for messages.
    func valueClassName(of cell: EntityLayout.Cell) -> String?
    /// Returns the expression of a derived attribute; nil if the model has none.
    func derivation(of cell: EntityLayout.Cell) -> ExpressionNode?

    var declaredIndexes: [IndexTraits] { get }
    /// The older compound indexes, as lists of property names.
    var compoundIndexPaths: [[String]] { get }
    /// The uniqueness constraints, as lists of property names.
    var constraintPaths: [[String]] { get }
    /// The names of all properties, inherited ones included, in the order of the bits of history's changes.
    var historyOrder: [String] { get }

    /// Returns what the model sets for the table of the entity, with an empty path, or for the column of one of its
    /// properties, or of an element of a composite attribute, by the names on the path.
    func databaseTraits(at path: [String]) -> DatabaseTraits
}

/// An index that the model declares.
package struct IndexTraits {
    package enum Subject {
        case attribute(String)
        case relationship(String)
        /// An expression, given as its text.
        case expression(String, name: String)
    }

    package struct Element {
        package let subject: Subject
        package let isAscending: Bool
        /// Whether it is part of a spatial index.
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
    /// The condition of a partial index; nil for a full index.
    package let condition: PredicateNode?

    package init(name: String, elements: [Element], condition: PredicateNode?) {
        self.name = name
        self.elements = elements
        self.condition = condition
    }
}
