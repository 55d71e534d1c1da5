import CoreDataRowStorage

/// The sessions of a context with the stores it reads.
///
/// The context of a thread's outermost block shares them with the others that work inside the block: the reads that a child
/// makes through its parent belong to one read transaction.
struct StoreSessions {
    private struct Entry {
        let store: any RowStore
        let age: Int
        let session: any StoreSession

        var isOfUse: Bool { store.sessionAge == age }
    }

    private var first: Entry?
    private var others: ContiguousArray<Entry> = []

    /// Returns the session with a store, beginning one if there is none.
    @inline(__always)
    mutating func session(of store: any RowStore) throws -> any StoreSession {
        if let first, first.store === store, first.isOfUse { return first.session }
        return try find(store)
    }

    @inline(never)
    private mutating func find(_ store: any RowStore) throws -> any StoreSession {
        if let known = others.first(where: { $0.store === store && $0.isOfUse }) { return known.session }
        removeUseless()
        let entry = Entry(store: store, age: store.sessionAge, session: try store.session())
        if first == nil { first = entry } else { others.append(entry) }
        return entry.session
    }

    private mutating func removeUseless() {
        if let known = first, !known.isOfUse { first = nil }
        others.removeAll { !$0.isOfUse }
    }

    /// Makes later reads show all changes committed so far.
    mutating func renew() {
        removeUseless()
        first?.session.renew()
        for entry in others { entry.session.renew() }
    }

    /// Releases the resources that reads have kept, at the end of a block.
    func rest() {
        guard let first else { return }
        first.session.rest()
        for entry in others { entry.session.rest() }
    }
}

/// The exclusive sessions of a thread, used by all contexts that work on it meanwhile.
struct ExclusiveSessions {
    private var entries: ContiguousArray<(store: any RowStore, session: any StoreSession)> = []

    var isEmpty: Bool { entries.isEmpty }

    func session(of store: any RowStore) -> (any StoreSession)? { entries.last { $0.store === store }?.session }

    mutating func begin(with store: any RowStore) throws {
        entries.append((store, try store.exclusiveSession()))
    }

    mutating func endLast() throws { try entries.removeLast().session.end() }

    func renew() { for entry in entries { entry.session.renew() } }
}
