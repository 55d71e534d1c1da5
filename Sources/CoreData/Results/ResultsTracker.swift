import Foundation
import PredicateFormat

/// Computes the changes to fetched results from a context's changes.
struct ResultsTracker {
    private let request: FetchRequestBase
    private let namer: SectionNamer
    private let entity: NSEntityDescription?
    private unowned let context: NSManagedObjectContext

    /// Creates a tracker.
    ///
    /// - Parameter request: A copy of the request at the time of the fetch.
    init(request: FetchRequestBase, namer: SectionNamer, context: NSManagedObjectContext) {
        self.request = request
        self.namer = namer
        self.context = context
        entity = context.persistentStoreCoordinator.flatMap { try? request.resolveEntity(in: $0.managedObjectModel) }
    }

    /// Returns the changes to the results from an objects-did-change notification; nil if there are none. Objects that cannot
    /// be evaluated because of a read error are left unchanged until the error is taken.
    ///
    /// - Parameter position: Returns an object's position among the old results.
    func changes(
        from old: ResultsSnapshot, userInfo: [AnyHashable: Any], position: (AnyObject) -> Int?
    ) -> ResultsChanges? {
        guard request.resultType == .managedObjectResultType, userInfo[NSInvalidatedAllObjectsKey] == nil else {
            return nil
        }
        func objects(_ key: String) -> Set<NSManagedObject> { userInfo[key] as? Set<NSManagedObject> ?? [] }
        var gone: Set<Int> = []
        var changed: [ChangedResult] = []
        var known: Set<ObjectIdentifier> = []
        let errors = context.readErrors.count
        for object in objects(NSDeletedObjectsKey).union(objects(NSInvalidatedObjectsKey)) where concerns(object) {
            known.insert(ObjectIdentifier(object))
            if let index = position(object) { gone.insert(index) }
        }
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey] {
            for object in objects(key) where concerns(object) && known.insert(ObjectIdentifier(object)).inserted {
                let oldIndex = position(object)
                if belongs(object) ?? (oldIndex != nil) {
                    changed.append(ChangedResult(object: object, oldIndex: oldIndex, sectionName: name(of: object)))
                } else if let oldIndex {
                    gone.insert(oldIndex)
                }
            }
        }
        let changes =
            gone.isEmpty && changed.isEmpty
            ? nil
            : ResultsChanges(
                old: old, gone: gone, changed: changed, isFixed: namer.hasFixedSection, order: precedes)
        if context.readErrors.count != errors {
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey] {
                context.readErrors.keep(undecided: objects(key).filter(concerns))
            }
        }
        return changes
    }

    private func concerns(_ object: NSManagedObject) -> Bool {
        guard let entity else { return false }
        return request.includesSubentities ? object.entity.isKindOf(entity: entity) : object.entity === entity
    }

    /// Evaluates the predicate for an object; returns nil if a read failed, in which case the error is recorded.
    private func belongs(_ object: NSManagedObject) -> Bool? {
        guard !object.isDeleted, object.managedObjectContext != nil else { return false }
        guard let predicate = request.predicate else { return true }
        let errors = context.readErrors.count
        let result = try? predicate.evaluateThrowing(with: object)
        return context.readErrors.count == errors ? result ?? false : nil
    }

    private func name(of object: NSManagedObject) -> String {
        (try? namer.name(of: object)) ?? ""
    }

    /// Returns true if the descriptors order one object before the other; nil if they compare equal.
    private func precedes(_ one: AnyObject, _ other: AnyObject) -> Bool? {
        for descriptor in request.sortDescriptors ?? [] {
            switch descriptor.compare(one, to: other) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return nil
    }
}
