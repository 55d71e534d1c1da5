import CoreDataRowStorage

// Validation of relationships to objects that were deleted, or are deleted by the same save.

extension NSManagedObject {
    /// Checks that no relationship was set to an object that the same save deletes.
    final func validateNoDanglingReference() throws {
        guard let extra = _extra, !extra.relationships.isEmpty else { return }
        var errors = ValidationErrors()
        for relationship in layout.relationships {
            // A denied deletion is reported by the deleted object; one error is enough.
            guard relationship.description.inverseRelationship?.deleteRule != .denyDeleteRule else { continue }
            switch extra.relationships[relationship.index] {
            case let toMany as ToMany:
                for member in toMany.added where member._state.isDeleted {
                    errors.add(danglingReference(relationship, to: member, reason: "it is being deleted"))
                }
            case let destination as NSManagedObject:
                guard destination._state.isDeleted, isCellChanged(relationship.cell),
                    differsFromCommitted(relationship.cell)
                else { continue }
                errors.add(danglingReference(relationship, to: destination, reason: "it is being deleted"))
            default: continue
            }
        }
        try errors.throwIfAny()
    }

    /// Returns the error for a relationship to an object without a row.
    final func danglingReference(
        _ relationship: EntityLayout.Relationship, to destination: NSManagedObject, reason: String
    ) -> NSError {
        let here = identifier.uriRepresentation().absoluteString
        let there = destination.identifier.uriRepresentation().absoluteString
        return CoreDataError.make(
            NSManagedObjectValidationError,
            description: "Dangling reference to an invalid object: \(layout.name).\(relationship.name).",
            reason: "\(relationship.name) of \(here) leads to \(there), but \(reason).",
            advice: "Take the object out of the relationship, or lead it to another one, and save again.",
            entity: layout.name, key: relationship.name,
            userInfo: [
                NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: relationship.name,
                NSValidationValueErrorKey: destination, NSAffectedObjectsErrorKey: [self, destination],
            ])
    }
}
