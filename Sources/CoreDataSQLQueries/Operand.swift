import CoreDataRowStorage
import PredicateFormat

/// What an expression turned into.
package enum Operand {
    /// SQL for a value.
    case value(SQLFragment, ValueType)
    /// A composite attribute as a whole.
    case composite(CompositeOperand)
    /// An object: `SELF`, a to-one relationship, a variable.
    case object(QueryScope.Place)
    /// SQL for an entity number.
    case entity(SQLFragment)
    /// The objects, or values of the objects, that a to-many relationship leads to.
    case toMany(ToManyOperand)
    case constant(NumberedConstant)
    case list([Operand])
    /// A sub-select that gives one column.
    case query(SQLFragment, ValueType)
}

/// What is known about a value: how constants compared with it are to be given to the database.
package struct ValueType {
    package var kind: CellKind?
    /// A binary attribute whose cells carry a marker.
    package var isExternal = false
    /// Whether it is an attribute's value as the store keeps it, not one that was computed.
    package var isStored = false
    /// Whether it is a row's reference: the number of its entity in the file and its key in one.
    var isRow = false
    /// Whether it is what stores tell the entity of a row by.
    var isEntity = false
    /// Of a transformable attribute.
    package var coder: (any ValueCoding)?

    static let unknown = ValueType()
    static let entity = ValueType(kind: .int64, isEntity: true)
    package static let row = ValueType(kind: .reference, isRow: true)
    package static func of(_ kind: CellKind?) -> ValueType { ValueType(kind: kind) }
}

extension ValueType {
    package init(_ cell: EntityLayout.Cell, isExternal: Bool = false) {
        kind = cell.kind
        self.isExternal = isExternal
        isStored = cell.traits.contains(.attribute)
        coder = cell.coder
    }
}

/// A path that runs into a to-many relationship.
package struct ToManyOperand {
    /// SQL for the key of the object that has the relationship.
    let source: SQLFragment
    let scope: QueryScope
    let columns: ToManyColumns
    let destination: EntityLayout
    /// The rest of the path, from each of the objects.
    let suffix: [String]
    /// Limits the objects: the predicate of a subquery and its variable.
    var filter: (variable: String, predicate: PredicateNode)?
    /// The expression, for messages.
    package let text: String
}
