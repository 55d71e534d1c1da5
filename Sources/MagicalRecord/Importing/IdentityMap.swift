import CoreData

/// The objects an import knows by what identifies them: looked up in the store once for each entity, key and chunk.
struct IdentityMap {
    /// The objects of one hierarchy that one attribute identifies. There is one instance for each.
    final class Group: Hashable, Sendable {
        let root: String
        let attribute: String

        private static let all = Locked<[String: [String: Group]]>([:])

        private init(_ root: String, _ attribute: String) {
            self.root = root
            self.attribute = attribute
        }

        static func of(root: String, attribute: String) -> Group {
            all.withLock { groups in
                if let group = groups[root]?[attribute] { return group }
                let group = Group(root, attribute)
                groups[root, default: [:]][attribute] = group
                return group
            }
        }

        static func == (left: Group, right: Group) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// What a chunk wants to know of a group.
    private struct Wanted {
        /// The plan highest in the hierarchy: it looks up for all.
        var plan: ImportPlan
        var identities: [IdentityKey: Any] = [:]
        /// To-many relationships the records speak of.
        var toMany: Set<String> = []

        mutating func want(_ identity: Identity) {
            if plan !== identity.plan, plan.entity.isKindOf(entity: identity.plan.entity) { plan = identity.plan }
            guard identities[identity.key] == nil, let value = identity.value.constant else { return }
            identities[identity.key] = value
        }
    }

    /// How many values one look-up asks for.
    private static let lookUpSize = 500

    private var objects: [Group: [IdentityKey: NSManagedObject]] = [:]
    /// The groups of which something is known.
    private(set) var groups: [Group] = []
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
        set { set(newValue, for: identity.key, in: identity.group) }
    }

    private mutating func set(_ object: NSManagedObject?, for key: IdentityKey, in group: Group) {
        if objects[group] == nil { groups.append(group) }
        objects[group, default: [:]][key] = object
    }

    /// Forgets everything: the context is about to let go of its objects.
    mutating func removeAll() {
        objects.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
        pendingEntered = []
    }

    /// On the queue: looks up the objects of these records that are not known yet.
    mutating func lookUp(_ records: [ParsedRecord?], in context: NSManagedObjectContext) throws {
        var wanted: [Group: Wanted] = [:]
        for case let record? in records {
            record.forEachIdentity { identity in
                if objects[identity.group]?[identity.key] != nil { return }
                wanted[identity.group, default: Wanted(plan: identity.plan)].want(identity)
            }
            guard let group = record.identity?.group, wanted[group] != nil else { continue }
            for related in record.related where related.relationship.isToMany {
                wanted[group]?.toMany.insert(related.relationship.name)
            }
        }
        for (group, wanted) in wanted {
            enterPending(group, context)
            try fetch(wanted, group, context)
        }
    }

    /// Objects created or changed in the context and not saved are not in the store under their present key.
    private mutating func enterPending(_ group: Group, _ context: NSManagedObjectContext) {
        guard pendingEntered.insert(group).inserted, context.hasChanges else { return }
        for object in context.insertedObjects.union(context.updatedObjects) {
            guard object.entity.rootName == group.root, object.entity.attributesByName[group.attribute] != nil,
                let key = object.value(forKey: group.attribute).flatMap(IdentityKey.init(stored:))
            else { continue }
            if objects[group]?[key] == nil { set(object, for: key, in: group) }
        }
    }

    private mutating func fetch(_ wanted: Wanted, _ group: Group, _ context: NSManagedObjectContext) throws {
        let relationships = wanted.plan.entity.relationshipsByName
        let prefetched = wanted.toMany.filter { relationships[$0] != nil }
        var remaining = Array(wanted.identities.values)[...]
        while !remaining.isEmpty {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = wanted.plan.entity
            request.predicate = NSPredicate(
                format: "%K IN %@", argumentArray: [group.attribute, Array(remaining.prefix(Self.lookUpSize))])
            remaining = remaining.dropFirst(Self.lookUpSize)
            request.returnsObjectsAsFaults = false
            request.includesPendingChanges = false
            if !prefetched.isEmpty { request.relationshipKeyPathsForPrefetching = Array(prefetched) }
            lookUps += 1
            for object in try context.results(of: request) where !object.isDeleted {
                guard let key = object.value(forKey: group.attribute).flatMap(IdentityKey.init(stored:)),
                    wanted.identities[key] != nil, objects[group]?[key] == nil
                else { continue }
                set(object, for: key, in: group)
            }
        }
    }
}
