import CoreDataRowStorage
import PredicateFormat

/// The SQL form of an expression, with what is known about its type.
package enum Operand {
    /// The SQL of a value.
    case value(SQLFragment, ValueType)
    /// A composite attribute as a whole.
    case composite(CompositeOperand)
    /// An object: `SELF`, a to-one relationship, a variable.
    case object(QueryScope.Place)
    /// The SQL of an entity number.
    case entity(SQLFragment)
    /// The objects of a to-many relationship, or the values of their properties.
    case toMany(ToManyOperand)
    case constant(NumberedConstant)
    case list([Operand])
    /// A subselect of one column.
    case query(SQLFragment, ValueType)
}

/// The known properties of a value, which determine how constants compared with it are bound.
package struct ValueType {
    package var kind: CellKind?
    /// Whether it is a binary attribute with a marker byte in its column.
    package var isExternal = false
    /// True if it is a date as seconds since the reference date, in a dialect that has another type for dates.
    package var isInSeconds = false
    /// Whether it is a stored attribute, and not a computed value.
    package var isStored = false
    /// Whether it is a row's reference: its entity number in the file and its key, packed into one integer.
    var isRow = false
    /// Whether it is the value by which the store identifies a row's entity.
    var isEntity = false
    /// The coder of a transformable attribute.
    package var coder: (any ValueCoding)?

    static let unknown = ValueType()
    static let entity = ValueType(kind: .int64, isEntity: true)
    package static let row = ValueType(kind: .reference, isRow: true)
    package static func of(_ kind: CellKind?) -> ValueType { ValueType(kind: kind) }

    /// True for integers, which roundings leave as they are: as floating-point numbers, large ones would change.
    var isInteger: Bool { kind == .int16 || kind == .int32 || kind == .int64 }
}

extension ValueType {
    package init(_ cell: EntityLayout.Cell, _ place: CellColumns? = nil) {
        kind = cell.kind
        isExternal = place?.isExternal == true
        isInSeconds = place?.isInSeconds == true
        isStored = cell.traits.contains(.attribute)
        coder = cell.coder
    }

    /// Returns the form in which a constant is bound beside a value of this type, given that of its kind.
    func bound(_ form: ParameterBinding.Form) -> ParameterBinding.Form { isInSeconds ? .seconds(form) : form }
}

/// A key path through a to-many relationship.
package struct ToManyOperand {
    /// The SQL of the key of the object that has the relationship.
    let source: SQLFragment
    let scope: QueryScope
    let columns: ToManyColumns
    let destination: EntityLayout
    /// The rest of the key path, from each of the objects.
    let suffix: [String]
    /// The filter of the objects: the predicate of a subquery and its variable.
    var filter: (variable: String, predicate: PredicateNode)?
    /// The expression, for messages.
    package let text: String
}
