extension NSManagedObjectContext {
    /// Loads what relationships of fetched objects lead to, one query a step of each key path.
    ///
    /// - Throws: `NSCoreDataError` for a key path that is none of relationships; errors of the store.
    final func prefetch(_ keyPaths: [String], of objects: [NSManagedObject], layout: EntityLayout) throws {
        for keyPath in keyPaths {
            var current = objects
            let names = keyPath.split(separator: ".").map(String.init)
            for (step, name) in names.enumerated() {
                guard !current.isEmpty else { break }
                guard current.contains(where: { $0.layout.relationshipIndex(named: name) != nil }) else {
                    throw CoreDataError.make(
                        NSCoreDataError, description: "The key path \(keyPath) cannot be prefetched.",
                        reason: "keypath \(keyPath) not found in entity \(layout.name)",
                        advice: "Name relationships only.", entity: current[0].layout.name, key: name)
                }
                current = try prefetchStep(name, of: current, isLast: step == names.count - 1)
            }
        }
    }

    /// Materialises one relationship of many objects and gives what it leads to; nothing for the last step of a path.
    @discardableResult
    final func prefetchStep(
        _ name: String, of objects: [NSManagedObject], isLast: Bool = true
    ) throws -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        let groups = Dictionary(grouping: objects.filter { $0._table?.store != nil }) { ObjectIdentifier($0._table!) }
        for group in groups.values {
            guard let table = group[0]._table, let store = table.store,
                let index = table.layout.relationshipIndex(named: name)
            else { continue }
            let relationship = table.layout.relationships[index]
            let destinations =
                relationship.isToMany
                ? try prefetchToMany(relationship, of: group, table, store)
                : try prefetchToOne(relationship, of: group, table, store)
            if isLast { continue }
            for part in destinations { result += part }
        }
        return result
    }

    private final func prefetchToMany(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject], _ table: EntityTable,
        _ store: any RowStore
    ) throws -> [ContiguousArray<NSManagedObject>] {
        try loadRows(of: objects)
        var members: [ContiguousArray<NSManagedObject>] = []
        var faults: [NSManagedObject] = []
        for object in objects where object.realise() {
            let toMany = object.toMany(at: relationship.index)
            if toMany.isFault { faults.append(object) } else { members.append(toMany.members) }
        }
        guard !faults.isEmpty else { return members }
        var owners = [Int64: NSManagedObject](minimumCapacity: faults.count)
        for object in faults { owners[object._key] = object }
        let sink = FetchSink(self, store: store, refreshes: false)
        var starts: [(key: Int64, start: Int)] = []
        try reading {
            try store.readToManyRows(
                relationship, of: table.layout, keys: ContiguousArray(faults.lazy.map(\._key)), into: sink
            ) { key in starts.append((key, sink.objects.count)) }
        }
        for (position, group) in starts.enumerated() {
            let end = position + 1 < starts.count ? starts[position + 1].start : sink.objects.count
            owners.removeValue(forKey: group.key)?.toMany(at: relationship.index).fill(
                ContiguousArray(sink.objects[group.start..<end]))
        }
        for owner in owners.values { owner.toMany(at: relationship.index).fill([]) }
        members.append(ContiguousArray(sink.objects))
        return members
    }

    private final func prefetchToOne(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject], _ table: EntityTable,
        _ store: any RowStore
    ) throws -> [ContiguousArray<NSManagedObject>] {
        try loadRows(of: objects)
        var destinations: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects {
            guard let destination = object.toOne(at: relationship.index) else { continue }
            if seen.insert(ObjectIdentifier(destination)).inserted { destinations.append(destination) }
        }
        try loadRows(of: destinations)
        return [ContiguousArray(destinations)]
    }
}
