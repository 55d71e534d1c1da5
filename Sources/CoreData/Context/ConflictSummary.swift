import CoreDataRowStorage

/// The texts of unresolved conflicts in errors.
enum ConflictSummary {
    /// The maximum number of conflicts in a text, and of properties of one conflict.
    static let longest = 3

    static func text(_ conflicts: [NSMergeConflict]) -> String {
        "The changes conflict with others saved meanwhile: \(listed(conflicts, by: "; ", \.summary))."
    }

    static func text(_ conflicts: [NSConstraintConflict]) -> String {
        conflicts.isEmpty
            ? "Values that must be unique are not." : "\(listed(conflicts, by: "; ", \.summary))."
    }

    /// Returns the texts of the first elements, and the number of the others.
    static func listed<Element>(
        _ elements: [Element], by separator: String, _ text: (Element) -> String
    ) -> String {
        let more = elements.count > longest ? "\(separator)and \(elements.count - longest) more" : ""
        return elements.prefix(longest).map(text).joined(separator: separator) + more
    }
}

extension NSConstraintConflict {
    /// The entity, the keys, the values and the objects.
    fileprivate final var summary: String {
        let entity = (conflictingObjects.first ?? databaseObject)?.layout.name ?? ""
        let values = constraint.map { "\($0) \(BriefValue.text(constraintValues[$0]))" }.joined(separator: " with ")
        if let databaseObject { return "\(entity).\(values) is already used by \(databaseObject.briefDescription)" }
        let objects = ConflictSummary.listed(conflictingObjects, by: ", ", \.briefDescription)
        return "\(entity).\(values) is used by \(conflictingObjects.count) objects of this save, \(objects)"
    }
}

extension NSMergeConflict {
    /// The object, and the values of the properties that both sides changed.
    fileprivate final var summary: String {
        let object = sourceObject.briefDescription
        if newVersionNumber == 0 { return "\(object) was deleted from the store" }
        let keys = keysChangedTwice
        let changes = ConflictSummary.listed(keys, by: ", ") { key in
            let (own, stored) = values(ofKey: key)
            return "\(key) \(BriefValue.text(own)) here, \(BriefValue.text(stored)) there"
        }
        return "\(object) was changed in the store" + (keys.isEmpty ? "" : " (\(changes))")
    }
}
