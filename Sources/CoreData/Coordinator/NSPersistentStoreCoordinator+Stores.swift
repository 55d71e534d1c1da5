import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

extension NSPersistentStoreCoordinator {
    // MARK: Adding

    final func add(
        _ storeType: String, _ configuration: String?, at storeURL: URL?, _ options: StoreOptions
    ) throws -> NSPersistentStore {
        // Opening may migrate or repair the file; no read transaction may be open meanwhile.
        CurrentContexts.restSessions()
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

    /// Opens a store, or creates it if there is none at the URL, and adds it; see
    /// ``addPersistentStore(ofType:configurationName:at:options:)``.
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    final func add(
        _ storeDescription: NSPersistentStoreDescription,
        _ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let add = Unchecked {
            do {
                guard storeDescription.cloudKitContainerOptions == nil else { throw CloudKitAbsence.error }
                storeDescription.addedStore = try self.add(
                    storeDescription.type, storeDescription.configuration, at: storeDescription.url,
                    storeDescription.storeOptions
                ).handle
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

    final func removeStore(_ store: NSPersistentStore) throws {
        serial.lock()
        defer { serial.unlock() }
        try requireOwn(store)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, userInfo: nil)
        store.willRemove(from: self)
        setStores(persistentStores.filter { $0 !== store })
        store.detach()
        Probe.storeClosing(store) { store.closeStore() }
        store.noteNewSessions()
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
        // The capacity is reserved because the first rehash of AnyHashable keys makes the runtime scan all protocol
        // conformances of the program.
        var userInfo = [AnyHashable: Any](minimumCapacity: 2)
        if let added { userInfo[NSAddedPersistentStoresKey] = [added] }
        if let removed { userInfo[NSRemovedPersistentStoresKey] = [removed] }
        if let added, let removed { userInfo[NSUUIDChangedPersistentStoresKey] = [removed, added] }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
    }

    // MARK: Moving and replacing

    final func relocate(_ store: NSPersistentStore, to url: URL) -> Bool {
        serial.lock()
        defer { serial.unlock() }
        guard persistentStores.contains(where: { $0 === store }), !(store.url.map(ExclusiveWrites.include) ?? false)
        else { return false }
        CurrentContexts.restSessions()
        return store.relocate(to: url)
    }

    final func destroyStore(at url: URL, _ storeType: String, _ options: StoreOptions) throws {
        serial.lock()
        defer { serial.unlock() }
        let storeClass = try StoreRegistry.requireClass(for: storeType)
        CurrentContexts.restSessions()
        try ExclusiveWrites.requireNone(of: url, toBe: "destroyed")
        // A loaded store would continue to use the deleted file and prevent the URL from being added again.
        if let loaded = loadedStore(at: url) { try remove(loaded) }
        try storeClass.destroyStore(at: StorePlace(url, options))
    }

    /// Returns the coordinator's store with the file at a URL, resolving links and relative paths.
    final func loadedStore(at url: URL) -> NSPersistentStore? {
        guard url.isFileURL else { return persistentStore(for: url) }
        let stores = persistentStores
        if stores.isEmpty { return nil }
        let place = StoreFiles.resolvingLinks(in: url).standardizedFileURL
        guard place.path != StoreOpening.nowhere.path else { return nil }
        return stores.first { store in
            guard store.type != NSInMemoryStoreType, let own = store.url, own.isFileURL else { return false }
            return StoreFiles.areSame(own, url) || StoreFiles.resolvingLinks(in: own).standardizedFileURL == place
        }
    }

    /// Empties a store that is not in use; see ``destroyPersistentStore(at:ofType:options:)``.
    public func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    final func replaceStore(
        at destinationURL: URL, _ destinationOptions: [AnyHashable: Any]?, from sourceURL: URL,
        _ sourceOptions: [AnyHashable: Any]?, _ storeType: String
    ) throws {
        let storeClass = try StoreRegistry.requireClass(for: storeType)
        CurrentContexts.restSessions()
        try ExclusiveWrites.requireNone(of: destinationURL, toBe: "replaced")
        if StoreFiles.areSame(destinationURL, sourceURL) || !StoreFiles.exists(sourceURL) {
            if destinationURL.standardizedFileURL == sourceURL.standardizedFileURL { return }
            try Self.requireDifferent(destinationURL, sourceURL)
        }
        try storeClass.copyStore(
            at: StorePlace(sourceURL, StoreOptions(sourceOptions)),
            to: StorePlace(destinationURL, StoreOptions(destinationOptions)))
    }

    /// Checks that the two URLs do not refer to one file: the replacement would wait for a lock that it holds and delete the
    /// file's companions.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if they do.
    private static func requireDifferent(_ destination: URL, _ source: URL) throws {
        guard StoreFiles.areSame(destination, source) else { return }
        throw CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The store at \(destination.path) could not be replaced by itself.",
            reason: "\(source.path) leads to the same file, by a symbolic or a hard link.",
            advice: "Give the URL of another store, or delete the link.",
            userInfo: [NSURLErrorKey: destination, NSFilePathErrorKey: destination.path])
    }

    /// Replaces a store by a copy of another one; see
    /// ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
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
