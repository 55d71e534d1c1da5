import ModelFormat

/// A stored attribute, or a stored element of a composite one.
package struct StoredAttribute: Sendable {
    /// The name, or the dotted path of a composite attribute's element.
    package var path: String
    package var column: String
    package var type: AttributeType
    /// True if every row must have a value.
    package var isRequired: Bool
    package var isDerived: Bool
    /// True if values begin with a byte that tells whether they are in a separate file.
    package var allowsExternalFiles: Bool
    /// The name of the value transformer and of the class of a transformable attribute.
    package var valueTransformerName: String?
    package var valueClassName: String?
    /// The default value of the model.
    package var defaultValue: ModelValue?
}

/// A stored to-one relationship.
package struct StoredToOne: Sendable {
    package var name: String
    /// The column of the destination's key.
    package var column: String
    /// The column of the destination's entity number, if the destination has subentities.
    package var entityColumn: String?
    /// The column of the position in the ordered relationship that is the inverse.
    package var orderColumn: String?
    /// The number of the destination entity.
    package var destination: Int
    package var inverse: String?
    package var isInverseToMany: Bool
    package var isRequired: Bool
}

/// A stored to-many relationship.
package struct StoredToMany: Sendable {
    package enum Place: Sendable {
        /// The inverse is a to-one: the owner's key is in a column of the destination's table. Also for a relationship
        /// without inverse.
        case foreignKey(table: String, column: String, entityColumn: String?, order: String?)
        /// A table of pairs.
        case join(table: String, source: String, target: String, order: String?)
    }

    package var name: String
    package var place: Place
    package var isOrdered: Bool
    package var destination: Int
    package var inverse: String?
    /// True if the relationship is its own inverse. A file can have such a pair in one direction or in both.
    package var isOwnInverse: Bool
    /// The limits of the model; a `maxCount` of 0 is none.
    package var minCount: Int
    package var maxCount: Int
    /// True if every object must have related objects.
    package var isRequired: Bool
}
