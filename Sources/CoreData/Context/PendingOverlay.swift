/// Lays a context's unsaved changes over what a store fetched.
struct PendingOverlay {
    private let context: NSManagedObjectContext
    private let fetch: StoreFetch

    init(_ context: NSManagedObjectContext, _ fetch: StoreFetch) {
        self.context = context
        self.fetch = fetch
    }

    func apply(to fetched: [NSManagedObject]) throws -> [NSManagedObject] {
        let relevant = context.changedObjects.filter { isOfEntity($0) }
        guard !relevant.isEmpty else { return Self.cut(fetched, limit: fetch.limit, offset: fetch.offset) }
        let touched = Set(relevant)
        var objects = fetched.filter { !touched.contains($0) }
        let kept = objects.count
        for object in relevant where !object._state.contains(.deleted) && matches(object) { objects.append(object) }
        if !fetch.sortDescriptors.isEmpty, objects.count > kept || kept < fetched.count || kept < objects.count {
            objects = Self.sort(objects, by: fetch.sortDescriptors)
        }
        return Self.cut(objects, limit: fetch.limit, offset: fetch.offset)
    }

    private func isOfEntity(_ object: NSManagedObject) -> Bool {
        fetch.includesSubentities ? object.layout.isKind(of: fetch.layout) : object.layout === fetch.layout
    }

    private func matches(_ object: NSManagedObject) -> Bool {
        fetch.predicate?.evaluate(with: object) ?? true
    }

    /// Sorts as the store would; objects equal in every descriptor keep their order.
    static func sort(_ objects: [NSManagedObject], by descriptors: [NSSortDescriptor]) -> [NSManagedObject] {
        let order = objects.enumerated().sorted { a, b in
            for descriptor in descriptors {
                switch descriptor.compare(a.element, to: b.element) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return a.offset < b.offset
        }
        return order.map(\.element)
    }

    static func cut(_ objects: [NSManagedObject], limit: Int, offset: Int) -> [NSManagedObject] {
        guard limit > 0 || offset > 0 else { return objects }
        let rest = objects.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }
}
