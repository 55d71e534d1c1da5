import Foundation

extension NSPersistentStoreCoordinator {
    // MARK: Adding

    /// Opens a store, or makes it if there is none at the URL, and adds it.
    ///
    /// - Parameters:
    ///   - storeType: One of ``NSSQLiteStoreType``, ``NSInMemoryStoreType``, ``NSBinaryStoreType``, ``NSXMLStoreType``, or a
    ///     type registered with ``registerStoreClass(_:forStoreType:)``.
    ///   - configuration: The configuration of the model whose entities the store holds; nil for all.
    ///   - storeURL: Where the store is; in-memory stores need none.
    ///   - options: Options by key, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: 134000 for an unknown type, 134100 when the store is of another version of the model and no migration was
    ///   asked for, 134110…134190 when migration fails, 134020 when the store type cannot hold the model, and what the store
    ///   itself throws.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(storeType, configuration, at: storeURL, StoreOptions(options))
    }

    private func add(
        _ storeType: String, _ configuration: String?, at storeURL: URL?, _ options: StoreOptions
    ) throws -> NSPersistentStore {
        serial.lock()
        defer { serial.unlock() }
        let store = try StoreOpening(
            coordinator: self, type: storeType, configuration: configuration, url: storeURL, options: options
        ).open()
        setStores(persistentStores + [store])
        store.didAdd(to: self)
        postChange(added: store)
        return store
    }

    /// As ``addPersistentStore(ofType:configurationName:at:options:)``.
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store a description describes.
    ///
    /// The handler is called before this returns, or, with `shouldAddStoreAsynchronously`, later on a background queue.
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let add = Unchecked {
            do {
                _ = try self.add(
                    storeDescription.type, storeDescription.configuration, at: storeDescription.url,
                    storeDescription.storeOptions)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously {
            queue.async { add.value() }
        } else {
            add.value()
        }
    }

    // MARK: Removing

    /// Takes a store out of the coordinator. Its file stays; objects of it become invalid in every context.
    ///
    /// They become faults that read as deleted, unsaved changes to them are dropped, and new objects that no other store
    /// takes go. The context then posts `NSManagedObjectContextObjectsDidChange` with their IDs under
    /// `NSInvalidatedAllObjectsKey`. This happens at once in contexts the caller is working in, else before the next block
    /// on the context's queue: nobody is waited for. What could be undone in such a context is forgotten.
    ///
    /// - Throws: `NSPersistentStoreOperationError` when the store is not the coordinator's.
    public func remove(_ store: NSPersistentStore) throws {
        serial.lock()
        defer { serial.unlock() }
        try requireOwn(store)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, userInfo: nil)
        store.willRemove(from: self)
        setStores(persistentStores.filter { $0 !== store })
        store.detach()
        store.closeStore()
        invalidateObjects(of: store)
        postChange(removed: store)
    }

    func requireOwn(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "The store is not one of this coordinator's.",
                reason: "\(store) was not added to \(self), or was removed from it.",
                userInfo: [NSAffectedStoresErrorKey: [store]])
        }
    }

    func postChange(added: NSPersistentStore? = nil, removed: NSPersistentStore? = nil) {
        // With room from the start: growing has the runtime search the whole program for what its keys are, the first time.
        var userInfo = [AnyHashable: Any](minimumCapacity: 2)
        if let added { userInfo[NSAddedPersistentStoresKey] = [added] }
        if let removed { userInfo[NSRemovedPersistentStoresKey] = [removed] }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
    }

    // MARK: Moving and replacing

    /// Moves a store that is in use to another place.
    ///
    /// An atomic store writes its next save there. A SQLite store closes its file and opens the one at the new place, which
    /// must exist and be a copy of it.
    ///
    /// - Returns: False when the store is not the coordinator's, or cannot use the place.
    @discardableResult
    public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        serial.lock()
        defer { serial.unlock() }
        guard persistentStores.contains(where: { $0 === store }) else { return false }
        return store.relocate(to: url)
    }

    /// Empties a store nobody uses: a SQLite database is emptied in place, files of other types are deleted.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreRegistry.requireClass(for: storeType).destroyStore(at: url, options: StoreOptions(options))
    }

    /// As ``destroyPersistentStore(at:ofType:options:)``.
    public func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of one store, which may be in use, in place of another: for backing up and restoring.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        let storeClass = try StoreRegistry.requireClass(for: storeType)
        guard destinationURL.standardizedFileURL != sourceURL.standardizedFileURL else { return }
        try storeClass.replaceStore(
            at: destinationURL, options: StoreOptions(destinationOptions), from: sourceURL,
            sourceOptions: StoreOptions(sourceOptions))
    }

    /// As ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }
}
