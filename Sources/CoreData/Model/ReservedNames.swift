/// Names that properties must not have: the members without arguments of every managed object, which key-value coding would
/// find instead of the property.
enum ReservedNames {
    private static let all = [
        "description", "debugDescription", "hash", "superclass", "class", "self", "zone", "entity", "objectID",
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
        "hasPersistentChangedValues", "faultingState", "changedValues", "awakeFromFetch", "awakeFromInsert", "willSave",
        "didSave", "willTurnIntoFault", "didTurnIntoFault", "prepareForDeletion", "changedValuesForCurrentEvent",
        "init",
        "copy", "mutableCopy", "retain", "release", "autorelease", "retainCount", "isProxy", "observationInfo",
    ]

    /// Returns the error text for a property with a reserved name; nil if the name is allowed.
    static func complaint(about name: String, of entity: String?) -> String? {
        let count = name.utf8.count
        guard all.contains(where: { $0.utf8.count == count && $0 == name }) else { return nil }
        return "Property name \"\(name)\" of the entity \(entity ?? "(null)") conflicts with a method already on "
            + "NSObject or NSManagedObject"
    }
}
