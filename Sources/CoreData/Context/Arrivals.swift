/// The changes a context received from elsewhere: objects refreshed or merged since the last `processPendingChanges()`, rows
/// copied from the parent, and stores that were removed.
///
/// Used on the context's queue only. No mutating function releases an object, for the reason given in ``ChangeTracker``.
struct Arrivals {
    /// The received changes that the next objects-did-change notification reports.
    struct News {
        /// Objects with refreshed or merged values.
        var refreshed: ContiguousArray<NSManagedObject> = []
        /// Objects that another context inserted.
        var inserted: ContiguousArray<NSManagedObject> = []
        /// Objects that another context deleted. They are unregistered after the notification.
        var deleted: ContiguousArray<NSManagedObject> = []

        var isEmpty: Bool { refreshed.isEmpty && inserted.isEmpty && deleted.isEmpty }
    }

    private(set) var news = News()
    /// Stores that were removed from the coordinator while the context used them. Their faults cannot fire.
    private(set) var lostStores: [any RowStore] = []
    /// Objects with rows copied from the parent that refer to objects not saved yet.
    private var lent: ContiguousArray<WeakObject> = []

    // MARK: News

    mutating func note(refreshed object: NSManagedObject) { news.refreshed.append(object) }
    mutating func note(refreshed objects: [NSManagedObject]) { news.refreshed += objects }
    mutating func note(inserted object: NSManagedObject) { news.inserted.append(object) }
    mutating func note(deleted object: NSManagedObject) { news.deleted.append(object) }

    mutating func takeNews() -> News {
        defer { news = News() }
        return news
    }

    // MARK: Stores

    mutating func lose(_ store: any RowStore) { lostStores.append(store) }

    /// Removes the objects of a removed store from the received changes.
    ///
    /// - Returns: The received changes as they were before, so that the caller releases the objects.
    mutating func removeNews(of isGone: (NSManagedObject) -> Bool) -> News {
        let old = news
        news.refreshed.removeAll(where: isGone)
        news.inserted.removeAll(where: isGone)
        news.deleted.removeAll(where: isGone)
        return old
    }

    // MARK: Rows of the parent's

    /// Records an object with a row, copied from the parent, that refers to objects not saved yet.
    mutating func note(lent object: NSManagedObject) { lent.append(WeakObject(object: object)) }

    /// Removes the recorded objects for which `isDone` returns true, and those that are deallocated.
    mutating func removeLent(where isDone: (NSManagedObject) -> Bool) {
        lent.removeAll { $0.object.map(isDone) ?? true }
    }
}
