import CoreDataMemoryStorage
import CoreDataRowStorage
import PredicateFormat

/// Lays a context's unsaved changes over what a store fetched.
///
/// Where there are many, and the predicate asks for a property's value, a ``PendingIndex`` finds them. Else the predicate is
/// evaluated for each.
struct PendingOverlay {
    /// nil when there is nothing to lay over.
    private let fetch: StoreFetch?
    private let context: NSManagedObjectContext?
    private let affectedStores: [NSPersistentStore]
    /// Changed objects of the fetch's entity, where they are not looked up.
    private var changed: [NSManagedObject] = []
    private var search: PendingSearch?
    /// The largest number of rows of a store's answer that are those of changed objects.
    ///
    /// These make way for the objects, which may be part of the result elsewhere or not at all. So a store is asked for so many
    /// more rows than the result holds, and from the first on.
    private(set) var replacing = 0

    /// Nothing to lay over.
    init() {
        fetch = nil
        context = nil
        affectedStores = []
    }

    /// Empty when the request excludes unsaved changes.
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

    /// Whether an object is one that the fetch may find.
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

    /// The changed objects that the predicate may hold for.
    private func candidates() -> [NSManagedObject] {
        guard let search, let context else { return changed }
        guard let found = search.candidates(in: context) else { return context.changedObjects.filter(isConcerned) }
        return found.filter { $0.hasUnsavedChanges && isConcerned($0) }
    }

    /// The changed objects that belong to the result.
    ///
    /// - Throws: An error of the Cocoa domain where the predicate cannot be evaluated: keys that are no property included.
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
        // Observers may have reset the context meanwhile: what was changed before is told by the list.
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

    /// Sorts as the store would; objects equal in every descriptor keep their order.
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

    /// Puts objects where they belong among others that are sorted already: nobody's values but theirs, and those of a few
    /// others, need to be looked at. The others keep their order, which is the store's.
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
    /// Whether a store, or a parent context, may give the changed object's row as an answer: new objects have none there.
    final var mayStandForRow: Bool { !_state.isInserted || hasPermanentKey }
}
