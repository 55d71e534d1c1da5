/// A column with keys of other rows: a to-one relationship, or the owner of a to-many one without inverse.
struct StoredReference {
    let table: String
    let column: String
    let entityColumn: String?
    let orderColumn: String?
    let property: String
    let isRequired: Bool
    let inverse: String?
    let isInverseToMany: Bool
    let destinationTable: String
    /// The name of the declared destination.
    let destination: String
    let destinationNumber: Int
    /// The numbers of the entities that have the column.
    var owners: Set<Int>
    /// The numbers of the entities that it may refer to.
    var family: Set<Int>

    /// Returns all references of a schema.
    static func all(_ schema: StoreSchema) -> [StoredReference] {
        var result: [StoredReference] = []
        func add(_ reference: StoredReference) {
            if let place = result.firstIndex(where: { $0.table == reference.table && $0.column == reference.column }) {
                result[place].owners.formUnion(reference.owners)
                result[place].family.formUnion(reference.family)
            } else {
                result.append(reference)
            }
        }
        for entity in schema.entities.sorted(by: { $0.number < $1.number }) {
            for toOne in entity.toOnes {
                guard let destination = schema.entity(toOne.destination) else { continue }
                add(
                    StoredReference(
                        table: entity.table, column: toOne.column, entityColumn: toOne.entityColumn,
                        orderColumn: toOne.orderColumn, property: toOne.name, isRequired: toOne.isRequired,
                        inverse: toOne.inverse, isInverseToMany: toOne.isInverseToMany,
                        destinationTable: destination.table, destination: destination.name,
                        destinationNumber: destination.number, owners: [entity.number],
                        family: Set(destination.family)))
            }
            for toMany in entity.toManys where toMany.inverse == nil {
                guard case .foreignKey(let table, let column, let entityColumn, let order) = toMany.place,
                    let member = schema.entity(toMany.destination)
                else { continue }
                add(
                    StoredReference(
                        table: table, column: column, entityColumn: entityColumn, orderColumn: order,
                        property: toMany.name, isRequired: false, inverse: nil, isInverseToMany: true,
                        destinationTable: entity.table, destination: entity.name, destinationNumber: entity.number,
                        owners: Set(member.family), family: Set(entity.family)))
            }
        }
        return result
    }
}
