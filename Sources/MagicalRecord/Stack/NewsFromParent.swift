import CoreData

/// A change set that a save distributes to the contexts that read the saved rows, each on its own queue.
///
/// Contexts that follow the store get all changes, except those that they have pushed themselves and still show unchanged.
final class NewsFromParent: @unchecked Sendable {
    /// The objects that a context has saved to its parent.
    typealias Push = (context: NSManagedObjectContext, objects: PushedObjects)

    /// The contexts that receive the changes.
    let contexts: [NSManagedObjectContext]
    private let changes: SavedChanges
    private let pushes: [Push]
    private let followers: [NSManagedObjectContext]
    /// The saved context's objects, retained so that comparisons need not fetch them again.
    private let held: [Set<NSManagedObject>]

    /// Creates a change set, on the queue of the context that has saved, if there is one.
    init(
        _ changes: SavedChanges, of saver: NSManagedObjectContext?, pushes: [Push], followers: [NSManagedObjectContext]
    ) {
        self.changes = changes
        self.pushes = pushes
        self.followers = followers
        var contexts = followers
        for push in pushes where !contexts.contains(where: { $0 === push.context }) { contexts.append(push.context) }
        self.contexts = contexts
        held = pushes.isEmpty ? [] : [Set(changes.all.compactMap { saver?.registeredObject(for: $0) })]
    }

    /// Merges the differences between the context's pushed objects and their state in the parent. For the queue of `context`.
    static func mergeDifferences(of pushes: [PushedObjects], into context: NSManagedObjectContext) {
        let news = NewsFromParent(SavedChanges(), of: nil, pushes: pushes.map { (context, $0) }, followers: [])
        news.merge(into: context)
    }

    /// Merges the changes into `context`, on its queue.
    func merge(into context: NSManagedObjectContext) {
        let own = OwnObjects(pushes.lazy.filter { $0.context === context }.map(\.objects), in: context)
        let isFollower = followers.contains { $0 === context }
        if own.isEmpty {
            if isFollower, !changes.isEmpty { changes.merge(into: context) }
            return
        }
        let others = changes.without(own.identifiers)
        var differences = context.differencesFromParent(
            of: own.objects.values, amongOthers: !isFollower || !others.isEmpty)
        if !isFollower { differences.add(of: own.replaced(differences.lost, in: context), in: context) }
        var news = isFollower ? others : SavedChanges()
        // Rows that were deleted and have been inserted again.
        let returned = changes.inserted.filter { own.objects[$0] != nil && !own.inserted.contains($0) }
        news.add(differences.changed.union(returned), as: NSUpdatedObjectIDsKey)
        news.add(differences.lost, as: NSDeletedObjectIDsKey)
        let spared = own.deleted.subtracting(changes.deleted)
        if !spared.isEmpty { news.add(context.thoseOfParent(spared), as: NSInsertedObjectIDsKey) }
        if !news.isEmpty { news.merge(into: context) }
    }
}

/// The objects that a context's save has put into its parent. Must be used on the queue of that context.
struct PushedObjects: @unchecked Sendable {
    let inserted: Set<NSManagedObject>
    let updated: Set<NSManagedObject>
    let deleted: [NSManagedObjectID]

    /// Reads the objects from the notification of a save, on the queue of the context that has saved.
    init(_ userInfo: [AnyHashable: Any]) {
        inserted = userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
        updated = userInfo[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
        deleted = (userInfo[NSDeletedObjectsKey] as? Set<NSManagedObject> ?? []).map(\.objectID)
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The pushed objects that the context still holds: those that it has forgotten in a reset are not among them.
private struct OwnObjects {
    private(set) var objects: [NSManagedObjectID: NSManagedObject] = [:]
    private(set) var inserted: Set<NSManagedObjectID> = []
    private(set) var deleted: Set<NSManagedObjectID> = []

    init(_ pushes: some Sequence<PushedObjects>, in context: NSManagedObjectContext) {
        for push in pushes {
            for object in push.inserted {
                let id = object.objectID
                if object.managedObjectContext === context { objects[id] = object }
                // A row that was deleted and restored is not new.
                if deleted.remove(id) == nil { inserted.insert(id) }
            }
            for object in push.updated where object.managedObjectContext === context {
                objects[object.objectID] = object
            }
            for id in push.deleted {
                objects[id] = nil
                if inserted.remove(id) == nil { deleted.insert(id) }
            }
        }
    }

    /// Returns registered objects that may have absorbed the context's lost insertions, as a merge policy does with rows of the
    /// same unique values.
    func replaced(_ lost: Set<NSManagedObjectID>, in context: NSManagedObjectContext) -> [NSManagedObject] {
        let lostEntities = lost.intersection(inserted).map(\.entity.root)
        guard !lostEntities.isEmpty else { return [] }
        return context.registeredObjects.filter { object in
            objects[object.objectID] == nil && lostEntities.contains { $0 === object.entity.root }
        }
    }

    var isEmpty: Bool { objects.isEmpty && deleted.isEmpty }
    var identifiers: Set<NSManagedObjectID> { deleted.union(objects.keys) }
}

/// The object IDs of one save. IDs may cross threads; objects are not retained.
struct SavedChanges: @unchecked Sendable {
    private var sets: [(key: AnyHashable, ids: Set<NSManagedObjectID>)] = []

    init() {}

    /// Reads all sets of object IDs. Looking up the three keys would take several times as long: the runtime unpacks both
    /// strings for each comparison.
    init(_ userInfo: [AnyHashable: Any]) {
        for (key, value) in userInfo {
            if let ids = value as? Set<NSManagedObjectID>, !ids.isEmpty { sets.append((key, ids)) }
        }
    }

    var isEmpty: Bool { sets.allSatisfy(\.ids.isEmpty) }

    var all: Set<NSManagedObjectID> {
        guard let first = sets.first else { return [] }
        return sets.dropFirst().reduce(into: first.ids) { $0.formUnion($1.ids) }
    }

    var inserted: Set<NSManagedObjectID> { ids(NSInsertedObjectIDsKey) }
    var deleted: Set<NSManagedObjectID> { ids(NSDeletedObjectIDsKey) }

    private func ids(_ key: String) -> Set<NSManagedObjectID> {
        sets.first { $0.key == AnyHashable(key) }?.ids ?? []
    }

    func without(_ ids: Set<NSManagedObjectID>) -> SavedChanges {
        var result = self
        for index in sets.indices { result.sets[index].ids.subtract(ids) }
        return result
    }

    mutating func add(_ ids: Set<NSManagedObjectID>, as key: String) {
        guard !ids.isEmpty else { return }
        if let index = sets.firstIndex(where: { $0.key == AnyHashable(key) }) {
            sets[index].ids.formUnion(ids)
        } else {
            sets.append((key, ids))
        }
    }

    /// Merges the changes into `context`, on its queue.
    func merge(into context: NSManagedObjectContext) {
        var userInfo: [AnyHashable: Any] = [:]
        for set in sets { userInfo[set.key] = set.ids }
        context.mergeChanges(
            fromContextDidSave: Notification(
                name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, userInfo: userInfo))
    }
}

extension ParentDifferences {
    /// Adds the differences of more objects.
    fileprivate mutating func add(of objects: [NSManagedObject], in context: NSManagedObjectContext) {
        guard !objects.isEmpty else { return }
        let more = context.differencesFromParent(of: objects, amongOthers: true)
        changed.formUnion(more.changed)
        lost.formUnion(more.lost)
    }
}

extension NSEntityDescription {
    /// The topmost superentity, or the entity itself.
    fileprivate var root: NSEntityDescription { superentity?.root ?? self }
}
