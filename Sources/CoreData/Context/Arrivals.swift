/// What came to a context from elsewhere: what was refreshed or merged since it last processed changes, objects that its parent
/// lent it, and stores that left.
///
/// Used on the context's queue only. Nothing is let go inside, as in ``ChangeTracker``.
struct Arrivals {
    /// What is to be reported.
    struct News {
        /// Objects whose values were refreshed or merged.
        var refreshed: ContiguousArray<NSManagedObject> = []
        /// Objects that another context inserted.
        var inserted: ContiguousArray<NSManagedObject> = []
        /// Objects that another context deleted. They are forgotten once that has been reported.
        var deleted: ContiguousArray<NSManagedObject> = []

        var isEmpty: Bool { refreshed.isEmpty && inserted.isEmpty && deleted.isEmpty }
    }

    private(set) var news = News()
    /// Stores that left the coordinator while the context used them: faults of theirs cannot fire.
    private(set) var lostStores: [any RowStore] = []
    /// Objects whose rows, copied from the parent, lead to objects that are not saved yet.
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

    /// Takes objects that leave with their store out of the news.
    ///
    /// - Returns: the news there were.
    mutating func removeNews(of isGone: (NSManagedObject) -> Bool) -> News {
        let old = news
        news.refreshed.removeAll(where: isGone)
        news.inserted.removeAll(where: isGone)
        news.deleted.removeAll(where: isGone)
        return old
    }

    // MARK: Rows of the parent's

    /// An object's row, copied from the parent, leads to objects that are not saved yet.
    mutating func note(lent object: NSManagedObject) { lent.append(WeakObject(object: object)) }

    /// Takes those out for which `isDone` gives true, and those that are gone.
    mutating func removeLent(where isDone: (NSManagedObject) -> Bool) {
        lent.removeAll { $0.object.map(isDone) ?? true }
    }
}
