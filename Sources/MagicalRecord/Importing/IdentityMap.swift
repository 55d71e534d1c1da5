import CoreData

/// The objects an import knows by what identifies them: looked up in the store once for each entity, key and chunk.
struct IdentityMap {
    /// The objects of one hierarchy that one attribute identifies.
    struct Group: Hashable {
        let root: String
        let attribute: String
    }

    /// How many values one look-up asks for.
    private static let lookUpSize = 500

    private var objects: [Group: [AnyHashable: NSManagedObject]] = [:]
    /// How many fetches there have been.
    private(set) var lookUps = 0
    /// Objects the context holds unsaved have been entered for these groups.
    private var pendingEntered: Set<Group> = []

    subscript(identity: Identity) -> NSManagedObject? {
        get {
            guard let object = objects[identity.group]?[identity.key], !object.isDeleted,
                object.managedObjectContext != nil, object.entity.isKindOf(entity: identity.plan.entity)
            else { return nil }
            return object
        }
        set { objects[identity.group, default: [:]][identity.key] = newValue }
    }

    /// Forgets everything: the context is about to let go of its objects.
    mutating func removeAll() {
        objects = [:]
        pendingEntered = []
    }

    /// The attributes by which objects of a hierarchy have been looked up so far.
    func attributes(of plan: ImportPlan) -> [String] {
        objects.keys.filter { $0.root == plan.rootName }.map(\.attribute)
    }

    /// On the queue: looks up the objects of these records that are not known yet.
    mutating func lookUp(_ records: [ParsedRecord], in context: NSManagedObjectContext) throws {
        var wanted: [Group: [AnyHashable: Any]] = [:]
        var plans: [Group: ImportPlan] = [:]
        var toMany: [Group: Set<String>] = [:]
        for record in records {
            record.forEachIdentity { identity in
                let group = identity.group
                // The plan highest in the hierarchy looks up for all.
                if let present = plans[group], !identity.plan.entity.isAncestor(of: present.entity) {
                } else {
                    plans[group] = identity.plan
                }
                if objects[group]?[identity.key] == nil { wanted[group, default: [:]][identity.key] = identity.value }
            }
            if let group = record.identity?.group {
                for related in record.related where related.relationship.isToMany {
                    toMany[group, default: []].insert(related.relationship.name)
                }
            }
        }
        for (group, values) in wanted {
            guard let plan = plans[group] else { continue }
            enterPending(group, context)
            try fetch(
                plan, group.attribute, values, prefetching: Array(toMany[group] ?? []), into: group, context)
        }
    }

    /// Objects created or changed in the context and not saved are not in the store under their present key.
    private mutating func enterPending(_ group: Group, _ context: NSManagedObjectContext) {
        guard pendingEntered.insert(group).inserted else { return }
        for object in context.insertedObjects.union(context.updatedObjects) {
            let root = sequence(first: object.entity, next: \.superentity).map { $0 }.last
            guard root?.name == group.root, object.entity.attributesByName[group.attribute] != nil,
                let key = object.value(forKey: group.attribute).flatMap(Identity.comparable)
            else { continue }
            if objects[group]?[key] == nil { objects[group, default: [:]][key] = object }
        }
    }

    private mutating func fetch(
        _ plan: ImportPlan, _ attribute: String, _ values: [AnyHashable: Any], prefetching: [String],
        into group: Group, _ context: NSManagedObjectContext
    ) throws {
        var remaining = Array(values.values)[...]
        while !remaining.isEmpty {
            let part = Array(remaining.prefix(Self.lookUpSize))
            remaining = remaining.dropFirst(Self.lookUpSize)
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = plan.entity
            request.predicate = NSPredicate(format: "%K IN %@", argumentArray: [attribute, part])
            request.returnsObjectsAsFaults = false
            request.includesPendingChanges = false
            let names = prefetching.filter { plan.entity.relationshipsByName[$0] != nil }
            if !names.isEmpty { request.relationshipKeyPathsForPrefetching = names }
            lookUps += 1
            for object in try context.fetch(request) where !object.isDeleted {
                guard let key = object.value(forKey: attribute).flatMap(Identity.comparable), values[key] != nil else {
                    continue
                }
                if objects[group]?[key] == nil { objects[group, default: [:]][key] = object }
            }
        }
    }
}

extension NSEntityDescription {
    /// Whether `other` is a sub-entity of this one, or it is this one.
    fileprivate func isAncestor(of other: NSEntityDescription) -> Bool { other.isKindOf(entity: self) }
}
