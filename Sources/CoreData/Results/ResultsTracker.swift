import Foundation
import PredicateFormat

/// Works out how a context's changes change fetched results.
struct ResultsTracker {
    private let request: FetchRequestBase
    private let namer: SectionNamer
    private let entity: NSEntityDescription?
    private unowned let context: NSManagedObjectContext

    /// - Parameter request: a copy of the request, as it was when the results were fetched.
    init(request: FetchRequestBase, namer: SectionNamer, context: NSManagedObjectContext) {
        self.request = request
        self.namer = namer
        self.context = context
        entity = context.persistentStoreCoordinator.flatMap { try? request.resolveEntity(in: $0.managedObjectModel) }
    }

    /// The changes of an objects-did-change notification; nil when the results do not change. What cannot be decided for now,
    /// because something could not be read, stays as it is until the error of that is taken.
    ///
    /// - Parameter position: where an object is among the old results.
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

    /// Evaluates the predicate for an object; nil where something could not be read for that, which the context has noted.
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

    /// Whether the descriptors put one object before the other; nil when they do not decide.
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
