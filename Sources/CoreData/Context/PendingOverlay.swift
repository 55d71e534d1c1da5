import CoreDataMemoryStorage
import CoreDataRowStorage
import PredicateFormat

/// Merges a context's unsaved changes into the result of a store's fetch.
///
/// If there are many changes and the predicate compares a property with values, a ``PendingIndex`` finds the matching objects.
/// Otherwise the predicate is evaluated for each.
struct PendingOverlay {
    /// The fetch; nil if there is nothing to merge.
    private let fetch: StoreFetch?
    private let context: NSManagedObjectContext?
    private let affectedStores: [NSPersistentStore]
    /// The changed objects of the fetch's entity, if the index is not used.
    private var changed: [NSManagedObject] = []
    private var search: PendingSearch?
    /// The maximum number of rows in a store's result that belong to changed objects.
    ///
    /// These are replaced by the objects, which may belong elsewhere in the result or not at all. So a store is asked for that
    /// many more rows than the result has, without an offset.
    private(set) var replacing = 0

    /// Creates an overlay without changes.
    init() {
        fetch = nil
        context = nil
        affectedStores = []
    }

    /// Creates an overlay of the context's unsaved changes; empty if the request excludes them.
    init(_ context: NSManagedObjectContext, _ fetch: StoreFetch, _ request: FetchRequestBase) {
        guard request.includesPendingChanges, context.hasUnsavedChanges else {
            self.context = nil
            self.fetch = nil
            affectedStores = []
            return
        }
        self.context = context
        self.fetch = fetch
        affectedStores = request.affectedStores ?? []
        if context.changes.objects.count > PendingIndex.fewestObjects, let predicate = fetch.predicate,
            let search = PendingSearch(predicate, fetch.layout, in: context),
            let members = search.members(in: context)
        {
            if members.count > 0 {
                self.search = search
                replacing = members.ofRows
            }
        } else {
            changed = context.changedObjects.filter(isConcerned)
            replacing = changed.count { $0.mayStandForRow }
        }
    }

    var isEmpty: Bool { search == nil && changed.isEmpty }

    /// Returns true if the fetch may find an object.
    private func isConcerned(_ object: NSManagedObject) -> Bool {
        guard let fetch, let context,
            fetch.includesSubentities ? object.layout.isKind(of: fetch.layout) : object.layout === fetch.layout
        else { return false }
        if affectedStores.isEmpty { return true }
        guard let coordinator = context.persistentStoreCoordinator,
            let store = try? context.store(forNew: object, coordinator)
        else { return false }
        return affectedStores.contains { $0 === store }
    }

    /// Returns the changed objects for which the predicate may hold.
    private func candidates() -> [NSManagedObject] {
        guard let search, let context else { return changed }
        guard let found = search.candidates(in: context) else { return context.changedObjects.filter(isConcerned) }
        return found.filter { $0.hasUnsavedChanges && isConcerned($0) }
    }

    /// Returns the changed objects that belong to the result.
    ///
    /// - Throws: A Cocoa error if the predicate cannot be evaluated, for example because of a key that is no property.
    func matches() throws -> [NSManagedObject] {
        let present = candidates().filter { !$0._state.isDeleted }
        guard let fetch, let context, let given = fetch.predicate, !present.isEmpty else { return present }
        let predicate =
            try search?.predicate
            ?? ConditionResolver.resolve(given, for: fetch.layout, context.layouts, isStrict: false)
        let outer = context.undefinedKeys
        let undefined = UndefinedKeys()
        context.undefinedKeys = undefined
        defer { context.undefinedKeys = outer }
        let matches = try context.passingOnReadErrors {
            try MatchingBudget.shared { try present.filter { try predicate.holds(for: $0) } }
        }
        if let (key, entity) = undefined.first {
            throw MemoryQuery.undefined(key, entity, given)
        }
        return matches
    }

    func apply(to fetched: [NSManagedObject]) throws -> [NSManagedObject] {
        guard let fetch else { return fetched }
        // Observers may have reset the context meanwhile, so the list tells which objects were changed.
        let touched = Set(changed.map(ObjectIdentifier.init))
        let kept = fetched.filter {
            search == nil ? !touched.contains(ObjectIdentifier($0)) : !$0.hasUnsavedChanges
        }
        let matches = try matches()
        let all =
            fetch.sortDescriptors.isEmpty ? kept + matches : Self.merge(matches, into: kept, fetch.sortDescriptors)
        return Self.cut(all, limit: fetch.limit, offset: fetch.offset)
    }

    // MARK: Order

    /// Returns the objects sorted as the store would; objects equal in every descriptor keep their order.
    static func sort(_ objects: [NSManagedObject], by descriptors: [NSSortDescriptor]) -> [NSManagedObject] {
        let order = objects.enumerated().sorted { a, b in
            switch compare(a.element, b.element, descriptors) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: a.offset < b.offset
            }
        }
        return order.map(\.element)
    }

    /// Merges changed objects into a sorted result by binary search; reads O(k log n) sort keys. The others keep the store's
    /// order.
    private static func merge(
        _ few: [NSManagedObject], into many: [NSManagedObject], _ descriptors: [NSSortDescriptor]
    ) -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(few.count + many.count)
        var position = 0
        for object in sort(few, by: descriptors) {
            var (low, high) = (position, many.count)
            while low < high {
                let middle = (low + high) / 2
                if compare(many[middle], object, descriptors) == .orderedDescending {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            result += many[position..<low]
            result.append(object)
            position = low
        }
        return result + many[position...]
    }

    private static func compare(
        _ a: NSManagedObject, _ b: NSManagedObject, _ descriptors: [NSSortDescriptor]
    ) -> ComparisonResult {
        for descriptor in descriptors {
            let result = descriptor.compare(a, to: b)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    static func cut(_ objects: [NSManagedObject], limit: Int, offset: Int) -> [NSManagedObject] {
        guard limit > 0 || offset > 0 else { return objects }
        let rest = objects.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }
}

extension NSManagedObject {
    /// True if a store or a parent context may return the changed object's row: new objects have none there.
    final var mayStandForRow: Bool { !_state.isInserted || hasPermanentKey }
}
