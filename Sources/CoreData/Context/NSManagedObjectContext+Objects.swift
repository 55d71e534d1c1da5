import CoreDataRowStorage

// Lookup of objects by ID.

extension NSManagedObjectContext {
    /// The layouts of the model at the end of the chain of parents.
    final var layouts: ModelLayouts {
        guard let coordinator = persistentStoreCoordinator else {
            preconditionFailure(
                "The context \(self) has neither a persistent store coordinator nor a parent. Set one before using it.")
        }
        return coordinator.managedObjectModel.layouts
    }

    // MARK: Tables

    @inline(__always)
    final func table(of layout: EntityLayout, in store: any RowStore) -> EntityTable {
        registry.table(of: layout, in: store, for: self) ?? makeTable(of: layout, in: store)
    }

    /// Creates the first table of a store.
    private final func makeTable(of layout: EntityLayout, in store: any RowStore) -> EntityTable {
        // The store may have replaced another one; the objects of that must be moved first.
        handleRemovals()
        if let table = registry.table(of: layout, in: store, for: self) { return table }
        registry.addStore(store)
        return registry.table(of: layout, in: store, for: self).unsafelyUnwrapped
    }

    final func unsavedTable(of layout: EntityLayout) -> EntityTable {
        registry.unsavedTable(of: layout, for: self)
    }

    /// Returns the destination of a reference of an object in `table`.
    final func object(_ reference: RowReference, near table: EntityTable) -> NSManagedObject? {
        if reference.isTemporary { return unsavedObject(reference.key) }
        guard let store = table.store ?? onlyStore, let layout = layouts.byNumber[reference.entityNumber] else {
            return nil
        }
        return self.table(of: layout, in: store).object(for: reference.key)
    }

    private final var onlyStore: (any RowStore)? { persistentStoreCoordinator?.rowStores.first }

    /// Returns the object with a temporary key, in this context or the parent.
    final func unsavedObject(_ key: Int64) -> NSManagedObject? {
        if let object = knownUnsavedObject(key) { return object }
        if let permanent = registry.identities[key] { return reachableObject(with: permanent) }
        guard let parent else { return nil }
        let found: (layout: EntityLayout, id: NSManagedObjectID)? = inParent(parent) {
            parent.unsavedObject(key).map { ($0.layout, $0.objectID) }
        }
        guard let found else { return nil }
        return found.id.isTemporaryID
            ? unsavedTable(of: found.layout).object(for: key) : reachableObject(with: found.id)
    }

    /// Returns the registered object with a temporary key.
    final func knownUnsavedObject(_ key: Int64) -> NSManagedObject? {
        registry.unsavedObject(key)
    }

    // MARK: Lookups by ID

    final func knownObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        applyParentChanges()
        if let object = existingTable(for: objectID)?.uniquing.object(for: objectID.key) { return object }
        guard objectID.isTemporaryID, let permanent = registry.identities[objectID.key] else { return nil }
        return knownObject(for: permanent)
    }

    final func objectOrFault(with objectID: NSManagedObjectID) -> NSManagedObject {
        guard let object = reachableObject(with: objectID) else {
            preconditionFailure(
                "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: \(objectID). Use IDs of stores that the coordinator holds."
            )
        }
        return object
    }

    /// Returns the object of an ID, or a fault for it; nil if the coordinator has no store of that ID.
    final func reachableObject(with objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        applyParentChanges()
        if objectID.isTemporaryID {
            if let object = unsavedObject(objectID.key) { return object }
            return unsavedTable(of: localLayout(of: objectID)).object(for: objectID.key)
        }
        let layout = localLayout(of: objectID)
        guard let store = store(of: objectID) else { return nil }
        let table = table(of: layout, in: store)
        if let object = table.uniquing.object(for: objectID.key) { return object }
        return table.makeFault(for: objectID.key)
    }

    final func loadedObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        applyParentChanges()
        handleRemovals()
        if objectID.isTemporaryID, unsavedObject(objectID.key) == nil { throw Self.missingObject(objectID) }
        guard let object = reachableObject(with: objectID) else { throw Self.missingObject(objectID) }
        if object._state.contains(.inaccessible) { throw Self.missingObject(objectID) }
        if object._row != nil, isStale(object) { object.turnIntoFault() }
        guard object._state.contains(.fault) else { return object }
        if object._row == nil, try !loadRowOrThrow(of: object) { throw Self.missingObject(objectID) }
        object.becomeRealised()
        return object
    }

    private static func missingObject(_ objectID: NSManagedObjectID) -> NSError {
        CoreDataError.make(
            NSManagedObjectReferentialIntegrityError,
            description: "The object could not be found in the store.",
            reason: "There is no row for \(objectID.uriRepresentation().absoluteString).",
            advice: "It was deleted meanwhile, or the ID belongs to another store.",
            entity: objectID.entity.name, userInfo: [NSAffectedObjectsErrorKey: [objectID]])
    }

    private final func existingTable(for objectID: NSManagedObjectID) -> EntityTable? {
        let number = localLayout(of: objectID).number
        if objectID.isTemporaryID { return registry.knownUnsavedTable(number) }
        guard let store = store(of: objectID) else { return nil }
        return registry.tables(of: store)?[number] ?? table(of: layouts.byNumber[number]!, in: store)
    }

    /// Returns the layout of an ID's entity in this context's model, which may be another copy of the ID's model.
    private final func localLayout(of objectID: NSManagedObjectID) -> EntityLayout {
        let layout = objectID.identity.layout
        let layouts = layouts
        if layout.number < layouts.byNumber.count, let own = layouts.byNumber[layout.number], own === layout {
            return own
        }
        return layouts.byName[layout.name] ?? layout
    }

    /// Returns the store of an ID under this context's coordinator, found by its UUID if the ID belongs to another coordinator.
    final func store(of objectID: NSManagedObjectID) -> (any RowStore)? {
        let stores = persistentStoreCoordinator?.rowStores ?? []
        if let own = objectID.identity.store { if let store = stores.first(where: { $0 === own }) { return store } }
        return stores.first { $0.identifier == objectID.identity.storeUUID }
    }

    /// Returns all registered objects that are in memory.
    final func registered() -> [NSManagedObject] { registry.objects }

}
