import CoreDataRowStorage

// The properties of managed objects that stores use in predicates and batch values.

extension NSManagedObjectID: RowIdentified {
    package final var rowIdentity: RowIdentity? {
        guard !isTemporaryID else { return nil }
        return RowIdentity(storeUUID: identity.storeUUID, layout: identity.layout, key: key)
    }
}

extension NSManagedObject: RowIdentified {
    package final var rowIdentity: RowIdentity? { objectID.rowIdentity }
}

extension NSEntityDescription: EntityNamed {
    package final var entityName: String? { name }
}
