import CoreData

/// Maps identities (entity, key attribute, value) to objects, looked up in the store once for each entity, key and chunk.
struct IdentityMap {
    /// A namespace of identities: the objects of one entity hierarchy, identified by one attribute. Instances are unique.
    final class Group: Hashable, Sendable {
        let root: String
        let attribute: String

        private static let all = Locked<[[String]: Group]>([:])

        private init(_ root: String, _ attribute: String) {
            self.root = root
            self.attribute = attribute
        }

        static func of(root: String, attribute: String) -> Group {
            all.withLock { groups in
                let group = groups[[root, attribute]] ?? Group(root, attribute)
                groups[[root, attribute]] = group
                return group
            }
        }

        static func == (left: Group, right: Group) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// The lookups that a chunk needs in one group.
    private struct Wanted {
        /// The plans of the topmost entities; each lookup includes subentities.
        var plans: [ImportPlan] = []
        var identities: [IdentityKey: Any] = [:]
        /// The to-many relationships that occur in the records, for prefetching.
        var toMany: Set<String> = []

        mutating func want(_ identity: Identity) {
            let wanted = identity.plan
            if !plans.contains(where: { $0 === wanted || wanted.entity.isKindOf(entity: $0.entity) }) {
                plans.removeAll { $0.entity.isKindOf(entity: wanted.entity) }
                plans.append(wanted)
            }
            guard identities[identity.key] == nil, let value = identity.value.constant else { return }
            identities[identity.key] = value
        }
    }

    /// The maximum number of values in the predicate of one fetch.
    private static let lookUpSize = 500

    private var objects: [Group: [IdentityKey: NSManagedObject]] = [:]
    /// Objects that share a key with one in ``objects`` but have another entity of the hierarchy. Rarely any.
    private var namesakes: [Group: [IdentityKey: [NSManagedObject]]] = [:]
    /// The groups that have entries.
    private(set) var groups: [Group] = []
    /// The number of fetches executed.
    private(set) var lookUps = 0
    /// The groups for which the context's unsaved objects have been entered.
    private var pendingEntered: Set<Group> = []

    subscript(identity: Identity) -> NSManagedObject? {
        get {
            guard let object = objects[identity.group]?[identity.key] else { return nil }
            if Self.fits(object, identity) { return object }
            return namesakes[identity.group]?[identity.key]?.first { Self.fits($0, identity) }
        }
        set { set(newValue, for: identity.key, in: identity.group) }
    }

    private static func fits(_ object: NSManagedObject, _ identity: Identity) -> Bool {
        !object.isDeleted && object.managedObjectContext != nil && object.entity.isKindOf(entity: identity.plan.entity)
    }

    private mutating func set(_ object: NSManagedObject?, for key: IdentityKey, in group: Group) {
        if objects[group] == nil { groups.append(group) }
        if let object, let known = objects[group]?[key], known !== object, known.entity !== object.entity {
            namesakes[group, default: [:]][key, default: []].removeAll { $0.entity === object.entity }
            namesakes[group, default: [:]][key, default: []].append(object)
        } else {
            objects[group, default: [:]][key] = object
        }
    }

    /// Adds an object under its value, if that is wanted and no object of its entity has it already.
    private mutating func add(_ object: NSManagedObject, in group: Group, ifWanted: (IdentityKey) -> Bool) {
        guard let key = object.value(forKey: group.attribute).flatMap(IdentityKey.init(stored:)), ifWanted(key),
            objects[group]?[key]?.entity !== object.entity,
            namesakes[group]?[key]?.contains(where: { $0.entity === object.entity }) != true
        else { return }
        set(object, for: key, in: group)
    }

    /// Removes all entries, before the context is reset.
    mutating func removeAll() {
        objects.removeAll(keepingCapacity: true)
        namesakes = [:]
        groups.removeAll(keepingCapacity: true)
        pendingEntered = []
    }

    /// Looks up the objects of these records that have no entry yet. For the context's queue.
    mutating func lookUp(_ records: [ParsedRecord?], in context: NSManagedObjectContext) throws {
        var wanted: [Group: Wanted] = [:]
        for case let record? in records {
            record.forEachIdentity { identity in
                if self[identity] != nil { return }
                wanted[identity.group, default: Wanted()].want(identity)
            }
            guard let group = record.identity?.group, wanted[group] != nil else { continue }
            for related in record.related where related.relationship.isToMany {
                wanted[group]?.toMany.insert(related.relationship.name)
            }
        }
        for (group, wanted) in wanted {
            if pendingEntered.insert(group).inserted, context.hasChanges { enterPending(of: group, context) }
            for plan in wanted.plans { try fetch(wanted, plan, group, context) }
        }
    }

    /// Adds the context's unsaved objects of a group, which a fetch by their present key would miss.
    private mutating func enterPending(of group: Group, _ context: NSManagedObjectContext) {
        for object in context.insertedObjects.union(context.updatedObjects)
        where object.entity.rootName == group.root && object.entity.attributesByName[group.attribute] != nil {
            add(object, in: group, ifWanted: { _ in true })
        }
    }

    private mutating func fetch(
        _ wanted: Wanted, _ plan: ImportPlan, _ group: Group, _ context: NSManagedObjectContext
    ) throws {
        let relationships = plan.entity.relationshipsByName
        let prefetched = wanted.toMany.filter { relationships[$0] != nil }
        let values = Array(wanted.identities.values)
        for start in stride(from: 0, to: values.count, by: Self.lookUpSize) {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = plan.entity
            request.predicate = NSPredicate(
                format: "%K IN %@", argumentArray: [group.attribute, Array(values[start...].prefix(Self.lookUpSize))])
            request.returnsObjectsAsFaults = false
            request.includesPendingChanges = false
            if !prefetched.isEmpty { request.relationshipKeyPathsForPrefetching = Array(prefetched) }
            lookUps += 1
            for object in try context.results(of: request) where !object.isDeleted {
                add(object, in: group, ifWanted: { wanted.identities[$0] != nil })
            }
        }
    }
}
