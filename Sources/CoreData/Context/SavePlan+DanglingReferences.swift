import CoreDataRowStorage

extension SavePlan {
    /// The error for references of this plan's objects to rows that are not in the store: one for each, or all under one.
    func danglingReferences(_ missing: Set<RowReference>) -> any Error {
        var errors = ValidationErrors()
        for object in inserted + updated {
            for relationship in object.layout.relationships where !relationship.description.isTransient {
                for destination in object.changedDestinations(of: relationship, among: missing) {
                    errors.add(
                        object.danglingReference(
                            relationship, to: destination, reason: "it is not in the store any more"))
                }
            }
        }
        do {
            try errors.throwIfAny()
        } catch {
            return error
        }
        return CoreDataError.make(
            NSManagedObjectValidationError, description: "Dangling reference to an invalid object.",
            reason: "A relationship leads to an object that is not in the store any more.")
    }
}

extension NSManagedObject {
    /// What a relationship was led to since the last save, of the rows in `missing`.
    fileprivate final func changedDestinations(
        of relationship: EntityLayout.Relationship, among missing: Set<RowReference>
    ) -> [NSManagedObject] {
        guard relationship.isToMany else {
            let cell = relationship.cell
            guard let row = _row, EntityLayout.isPresent(row, cell), _state.isInserted || isCellChanged(cell),
                missing.contains(RowReference(bits: layout.bits(row, cell))),
                let destination = toOne(at: relationship.index)
            else { return [] }
            return [destination]
        }
        guard relationship.isKeptApart, let extra = _extra, relationship.index < extra.relationships.count,
            let toMany = extra.relationships[relationship.index] as? ToMany
        else { return [] }
        return toMany.added.filter { missing.contains($0.reference) }
    }
}
