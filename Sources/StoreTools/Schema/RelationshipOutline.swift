import ModelFormat

/// A relationship of an outline, with the objects of its destination and its inverse.
final class RelationshipOutline {
    let name: String
    let destinationName: String
    let inverseName: String?
    let isToMany: Bool
    let isOrdered: Bool
    let isTransient: Bool
    let isRequired: Bool
    let minCount: Int
    let maxCount: Int
    /// The entity that introduces the relationship.
    unowned let owner: EntityOutline
    /// The destination, which every relationship of a complete outline has.
    unowned var destination: EntityOutline?
    unowned var inverse: RelationshipOutline?
    /// The cell of a to-one relationship.
    unowned var cell: EntityOutline.Cell?
    /// The columns of a to-many relationship without an inverse, in the destination's table.
    var ownedColumn: String?
    var ownedOrder: String?
    /// The column of the owner's keys in the table of a many-to-many relationship.
    var joinColumn = ""
    /// The table and columns of a many-to-many relationship.
    var joinPlace: StoredToMany.Place?

    init(_ relationship: Relationship, of owner: EntityOutline) {
        name = relationship.name
        destinationName = relationship.destinationName
        inverseName = relationship.inverseName
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isTransient = relationship.isTransient
        isRequired = relationship.isRequired
        minCount = relationship.minCount
        maxCount = relationship.maxCount
        self.owner = owner
    }

    /// The place of a to-many relationship; nil if it is transient, or its inverse that would hold the column is.
    var place: StoredToMany.Place? {
        guard isToMany, !isTransient else { return nil }
        guard let inverse else {
            return ownedColumn.flatMap { column in
                destination.map {
                    .foreignKey(table: $0.table, column: column, entityColumn: nil, order: ownedOrder)
                }
            }
        }
        if inverse.isToMany { return joinPlace }
        return inverse.cell.flatMap { cell in
            cell.column.map {
                .foreignKey(
                    table: inverse.owner.table, column: $0, entityColumn: cell.entityColumn, order: cell.orderColumn)
            }
        }
    }
}
