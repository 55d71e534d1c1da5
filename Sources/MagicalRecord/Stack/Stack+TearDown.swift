import CoreData

extension MagicalRecord.Stack {
    /// Ends the stack: waits for the saves that are running or in line, discards what is unsaved, empties every
    /// context on its own queue, closes the stores, and, if asked, deletes their files.
    ///
    /// Afterwards another stack may open the same files at once. Objects of this stack must not be used any more.
    /// Tearing down twice does nothing.
    ///
    /// - Parameter deletingStores: also delete the stores' files with everything beside them.
    /// - Throws: Core Data's error when a store will not close, or
    ///   ``MagicalRecordError/Code/storeFile`` when a file cannot be removed.
    public func tearDown(deletingStores: Bool = false) async throws {
        guard close() else { return }
        await lane.acquire()
        defer { lane.release() }
        merging.stop()
        for context in contextsToEmpty {
            await context.perform { context.reset() }
        }
        try closeStores(deleting: deletingStores)
    }

    /// As ``tearDown(deletingStores:)``, blocking the thread.
    ///
    /// On any other thread than the main one this waits for the main queue, unless the shape has no context there.
    public func tearDownAndWait(deletingStores: Bool = false) throws {
        guard close() else { return }
        lane.acquireAndWait()
        defer { lane.release() }
        merging.stop()
        for context in contextsToEmpty {
            context.performAndWait { context.reset() }
        }
        try closeStores(deleting: deletingStores)
    }

    /// Children before their parents.
    private var contextsToEmpty: [NSManagedObjectContext] {
        let contexts = merging.contexts
        return contexts.filter { $0.parent != nil } + contexts.filter { $0.parent == nil }
    }

    private func closeStores(deleting: Bool) throws {
        for store in stores {
            let url = store.url
            let hasFile = store.type != NSInMemoryStoreType
            try coordinator.remove(store)
            if deleting, hasFile, let url { try MagicalRecord.removeStoreFiles(at: url) }
        }
    }
}
