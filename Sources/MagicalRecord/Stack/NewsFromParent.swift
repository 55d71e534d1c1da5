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
    private let held: [NSManagedObject]

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
        held = pushes.isEmpty ? [] : changes.all.compactMap { saver?.registeredObject(for: $0) }
    }

    /// Merges the changes into `context`, on its queue.
    func merge(into context: NSManagedObjectContext) {
        let own = OwnObjects(pushes.lazy.filter { $0.context === context }.map(\.objects), in: context)
        let isFollower = followers.contains { $0 === context }
        if own.isEmpty {
            if isFollower { changes.merge(into: context) }
            return
        }
        var news = isFollower ? changes.without(own.identifiers) : SavedChanges()
        var differences = context.differencesFromParent(
            of: own.objects.values, amongOthers: !isFollower || !news.isEmpty)
        let replaced = isFollower ? [] : own.replaced(differences.lost, in: context)
        if !replaced.isEmpty {
            let more = context.differencesFromParent(of: replaced, amongOthers: true)
            differences.changed.formUnion(more.changed)
            differences.lost.formUnion(more.lost)
        }
        // Rows that were deleted and have been inserted again.
        let returned = changes.inserted.filter { own.objects[$0] != nil && !own.inserted.contains($0) }
        news.add(differences.changed.union(returned), as: NSUpdatedObjectIDsKey)
        news.add(differences.lost, as: NSDeletedObjectIDsKey)
        let spared = own.deleted.subtracting(changes.deleted)
        if !spared.isEmpty { news.add(context.thoseOfParent(spared), as: NSInsertedObjectIDsKey) }
        news.merge(into: context)
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
        let roots = Set(lost.intersection(inserted).map(\.entity.rootName))
        guard !roots.isEmpty else { return [] }
        return context.registeredObjects.filter { objects[$0.objectID] == nil && roots.contains($0.entity.rootName) }
    }

    var isEmpty: Bool { objects.isEmpty && deleted.isEmpty }
    var identifiers: Set<NSManagedObjectID> { deleted.union(objects.keys) }
}

/// The object IDs of one save. IDs may cross threads; objects are not retained.
struct SavedChanges: @unchecked Sendable {
    private var sets: [AnyHashable: Set<NSManagedObjectID>]

    /// Reads all sets of object IDs. Looking up the three keys would take several times as long: the runtime unpacks both
    /// strings for each comparison.
    init(_ userInfo: [AnyHashable: Any] = [:]) {
        sets = userInfo.compactMapValues { ($0 as? Set<NSManagedObjectID>).flatMap { $0.isEmpty ? nil : $0 } }
    }

    var isEmpty: Bool { sets.values.allSatisfy(\.isEmpty) }
    var all: some Sequence<NSManagedObjectID> { sets.values.joined() }
    var inserted: Set<NSManagedObjectID> { sets[NSInsertedObjectIDsKey] ?? [] }
    var deleted: Set<NSManagedObjectID> { sets[NSDeletedObjectIDsKey] ?? [] }

    func without(_ ids: Set<NSManagedObjectID>) -> SavedChanges {
        var result = self
        result.sets = sets.mapValues { $0.subtracting(ids) }
        return result
    }

    /// Adds the sets of object IDs of a later save.
    mutating func add(_ userInfo: [AnyHashable: Any]) {
        sets.merge(SavedChanges(userInfo).sets) { $0.union($1) }
        // An object that was deleted later is not there any more.
        let deleted = deleted
        for key in [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey] where !deleted.isEmpty {
            sets[key]?.subtract(deleted)
        }
        let inserted = inserted
        if !inserted.isEmpty { sets[NSUpdatedObjectIDsKey]?.subtract(inserted) }
    }

    mutating func add(_ ids: Set<NSManagedObjectID>, as key: String) {
        if !ids.isEmpty { sets[key, default: []].formUnion(ids) }
    }

    /// Merges the changes, if there are any, into `context`, on its queue.
    func merge(into context: NSManagedObjectContext) {
        guard !isEmpty else { return }
        let name = NSManagedObjectContext.didSaveObjectIDsNotification
        context.mergeChanges(fromContextDidSave: Notification(name: name, object: nil, userInfo: sets))
    }
}
