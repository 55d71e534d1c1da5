extension NSManagedObjectContext {
    /// Loads what relationships of fetched objects lead to, one query a step of each key path.
    final func prefetch(_ keyPaths: [String], of objects: [NSManagedObject], layout: EntityLayout) throws {
        guard parent == nil else { return }
        for keyPath in keyPaths {
            var current = objects
            for name in keyPath.split(separator: ".").map(String.init) {
                guard let first = current.first else { break }
                guard let index = first.layout.relationshipIndex(named: name) else {
                    throw CoreDataError.make(
                        NSCoreDataError, description: "The key path \(keyPath) cannot be prefetched.",
                        reason: "keypath \(keyPath) not found in entity \(layout.name)",
                        advice: "Name relationships only.", entity: first.layout.name, key: name)
                }
                current = try prefetchStep(index, of: current)
            }
        }
    }

    /// Materialises one relationship of many objects and gives what it leads to.
    private final func prefetchStep(_ index: Int, of objects: [NSManagedObject]) throws -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        let groups = Dictionary(grouping: objects.filter { $0._table?.store != nil }) { ObjectIdentifier($0._table!) }
        for group in groups.values {
            guard let table = group[0]._table, let store = table.store else { continue }
            let relationship = table.layout.relationships[index]
            if relationship.isToMany {
                result += try prefetchToMany(relationship, of: group, table, store)
            } else {
                result += try prefetchToOne(relationship, of: group, table, store)
            }
        }
        return result
    }

    private final func prefetchToMany(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject], _ table: EntityTable,
        _ store: any RowStore
    ) throws -> [NSManagedObject] {
        let faults = objects.filter { $0.realise() && $0.toMany(at: relationship.index).isFault }
        var owners = [Int64: NSManagedObject](minimumCapacity: faults.count)
        for object in faults { owners[object._key] = object }
        let sink = FetchSink(self, store: store, refreshes: false)
        var starts: [(key: Int64, start: Int)] = []
        if !faults.isEmpty {
            try store.readToManyRows(
                relationship, of: table.layout, keys: ContiguousArray(faults.lazy.map(\._key)), into: sink
            ) { key in starts.append((key, sink.objects.count)) }
        }
        let members = sink.objects
        for (position, group) in starts.enumerated() {
            let end = position + 1 < starts.count ? starts[position + 1].start : members.count
            owners.removeValue(forKey: group.key)?.toMany(at: relationship.index).fill(
                ContiguousArray(members[group.start..<end]))
        }
        for owner in owners.values { owner.toMany(at: relationship.index).fill([]) }
        return members
    }

    private final func prefetchToOne(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject], _ table: EntityTable,
        _ store: any RowStore
    ) throws -> [NSManagedObject] {
        var destinations: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects {
            guard let destination = object.toOne(at: relationship.index) else { continue }
            if seen.insert(ObjectIdentifier(destination)).inserted { destinations.append(destination) }
        }
        let missing = destinations.filter { $0._state.contains(.fault) && $0._row == nil && $0._key > 0 }
        if let first = missing.first {
            try store.readRows(
                keys: ContiguousArray(missing.lazy.map(\._key)), of: first.layout.root,
                into: BatchSink(self, store: store))
        }
        return destinations
    }
}
