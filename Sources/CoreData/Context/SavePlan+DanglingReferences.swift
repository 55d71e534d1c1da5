import CoreDataRowStorage

extension SavePlan {
    /// Returns the error for this plan's references to rows that the store no longer has: a single error, or several combined
    /// in one.
    func danglingReferences(_ missing: Set<RowReference>) -> any Error {
        danglingReferences("it is not in the store any more") { reference, _ in missing.contains(reference) }
            ?? CoreDataError.make(
                NSManagedObjectValidationError, description: "Dangling reference to an invalid object.",
                reason: "A relationship leads to an object that is not in the store any more.")
    }

    /// Returns the error for this plan's references to new objects that were deleted before they were saved: a single error, or
    /// several combined in one; nil if there are none.
    func referencesToDiscarded() -> (any Error)? {
        danglingReferences("it was deleted before it was saved") { $1.isDiscarded }
    }

    private func danglingReferences(
        _ reason: String, _ isDangling: (RowReference, NSManagedObject) -> Bool
    ) -> (any Error)? {
        var errors = ValidationErrors()
        for object in inserted + updated {
            for relationship in object.layout.relationships where !relationship.description.isTransient {
                for destination in object.changedDestinations(of: relationship, where: isDangling) {
                    errors.add(object.danglingReference(relationship, to: destination, reason: reason))
                }
            }
        }
        do {
            try errors.throwIfAny()
        } catch {
            return error
        }
        return nil
    }
}

extension NSManagedObject {
    /// True for an object that was deleted before it was ever saved.
    fileprivate final var isDiscarded: Bool { _key < 0 && (_state.isDeleted || _state.isOut) }

    /// Returns the destinations of the given kind that a relationship was set to since the last save.
    fileprivate final func changedDestinations(
        of relationship: EntityLayout.Relationship, where isOfKind: (RowReference, NSManagedObject) -> Bool
    ) -> [NSManagedObject] {
        guard relationship.isToMany else {
            let cell = relationship.cell
            guard let row = _row, EntityLayout.isPresent(row, cell), _state.isInserted || isCellChanged(cell),
                let destination = toOne(at: relationship.index),
                isOfKind(RowReference(bits: layout.bits(row, cell)), destination)
            else { return [] }
            return [destination]
        }
        guard relationship.isKeptApart, let extra = _extra, relationship.index < extra.relationships.count,
            let toMany = extra.relationships[relationship.index] as? ToMany
        else { return [] }
        return toMany.added.filter { isOfKind($0.reference, $0) }
    }
}
