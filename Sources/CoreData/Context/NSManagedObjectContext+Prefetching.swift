import CoreDataRowStorage

extension NSManagedObjectContext {
    /// Loads what relationships of fetched objects lead to, one query a step of each key path.
    ///
    /// - Throws: `NSCoreDataError` for a key path that is none of relationships; errors of the store.
    final func prefetch(_ keyPaths: [String], of objects: [NSManagedObject], entityName: String) throws {
        let fetched = Probe.isOn && Probe.notesWays ? ObjectWay(fetching: entityName) : nil
        for keyPath in keyPaths {
            var current = objects
            var way = fetched
            let names = keyPath.split(separator: ".").map(String.init)
            for (step, name) in names.enumerated() {
                guard !current.isEmpty else { break }
                guard current.contains(where: { $0.layout.relationshipIndex(named: name) != nil }) else {
                    throw Self.cannotPrefetch(keyPath, name, of: current[0].layout, entityName)
                }
                let isLast = step == names.count - 1
                current = try prefetchStep(name, of: current, isLast: isLast, by: &way)
                if !isLast { current = Self.eachOnce(current) }
            }
        }
    }

    /// Whether key paths can be prefetched, for results that come in batches.
    ///
    /// - Throws: `NSCoreDataError` for a key path that is none of relationships.
    final func checkPrefetching(_ keyPaths: [String], of request: FetchRequestBase) throws {
        let layouts = layouts
        for keyPath in keyPaths {
            guard let layout = layouts.byName[request.entityName ?? ""] else { continue }
            var current = [layout]
            for name in keyPath.split(separator: ".").map(String.init) {
                // Sub-entities may have relationships of one name that lead to different entities.
                var destinations = Set<String>()
                for layout in current.flatMap(\.familyNumbers).compactMap({ layouts.byNumber[$0] }) {
                    guard let index = layout.relationshipIndex(named: name) else { continue }
                    destinations.insert(layout.relationships[index].description.destinationEntity?.name ?? "")
                }
                let next = destinations.sorted().compactMap { layouts.byName[$0] }
                guard !next.isEmpty else {
                    throw Self.cannotPrefetch(keyPath, name, of: current[0], request.entityName ?? "")
                }
                current = next
            }
        }
    }

    /// Prefetches what the objects that have rows lead to, where the key paths were checked before. What cannot be read now is
    /// read when it is needed.
    final func prefetchAtHand(_ keyPaths: [String], of objects: [NSManagedObject]) {
        guard !keyPaths.isEmpty else { return }
        let loaded = objects.filter { $0._row != nil }
        guard let first = loaded.first else { return }
        // One by one: a relationship of a sub-entity may have no object in this batch.
        for keyPath in keyPaths { try? prefetch([keyPath], of: loaded, entityName: first.layout.name) }
    }

    private static func cannotPrefetch(
        _ keyPath: String, _ key: String, of layout: EntityLayout, _ entityName: String
    ) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The key path \(keyPath) cannot be prefetched.",
            reason: "keypath \(keyPath) not found in entity \(entityName)",
            advice: "Name relationships only.", entity: layout.name, key: key)
    }

    /// What several objects lead to comes several times.
    private static func eachOnce(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen = Set<ObjectIdentifier>(minimumCapacity: objects.count)
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Materialises one relationship of many objects and gives what it leads to; nothing for the last step of a path.
    ///
    /// - Parameter way: how the program came to the objects, if instruments want to know; then to what the relationship leads to.
    private final func prefetchStep(
        _ name: String, of objects: [NSManagedObject], isLast: Bool, by way: inout ObjectWay?
    ) throws -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        let start = way
        for (table, group) in Self.groupedByTable(objects) {
            guard let index = table.layout.relationshipIndex(named: name) else { continue }
            let relationship = table.layout.relationships[index]
            way = start?.following(relationship.step(of: table.layout.name))
            result += try Probe.prefetch(name, of: table.layout, way, self) {
                let destinations: [NSManagedObject]
                if relationship.isToMany {
                    try prefetchToMany(relationship, of: group, table)
                    destinations =
                        isLast && way == nil
                        ? [] : group.flatMap { $0.isMaterialised(index) ? Array($0.toManyMembers(at: index)) : [] }
                } else {
                    destinations = try prefetchToOne(relationship, of: group)
                }
                if let way { destinations.forEach { notedWays.note(way, to: $0) } }
                return isLast && relationship.isToMany ? [] : destinations
            }
        }
        return result
    }

    /// Materialises one relationship of many objects, for the engine's own purposes.
    final func prefetchStep(_ name: String, of objects: [NSManagedObject]) throws {
        var way: ObjectWay?
        _ = try prefetchStep(name, of: objects, isLast: true, by: &way)
    }

    /// The objects that are in a context, by their tables.
    static func groupedByTable(_ objects: [NSManagedObject]) -> [(table: EntityTable, objects: [NSManagedObject])] {
        guard let first = objects.first?._table else {
            return objects.count < 2 ? [] : groupedByTable(objects.filter { $0._table != nil })
        }
        // Nearly always all are of one entity.
        if objects.allSatisfy({ $0._table === first }) { return [(first, objects)] }
        var groups: [(table: EntityTable, objects: [NSManagedObject])] = []
        var positions: [ObjectIdentifier: Int] = [:]
        for object in objects {
            guard let table = object._table else { continue }
            if let position = positions[ObjectIdentifier(table)] {
                groups[position].objects.append(object)
            } else {
                positions[ObjectIdentifier(table)] = groups.count
                groups.append((table, [object]))
            }
        }
        return groups
    }

    /// Fills a to-many relationship of many objects that share a table with one query.
    ///
    /// - Parameters:
    ///   - materialisesEmpty: false leaves the relationships of objects without related rows as they are.
    ///   - loadsRows: false reads the members alone, not the objects' own rows.
    final func prefetchToMany(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject], _ table: EntityTable,
        materialisesEmpty: Bool = true, loadsRows: Bool = true
    ) throws {
        if loadsRows { try loadRows(of: objects) }
        let index = relationship.index
        let unread = objects.filter { object in
            if object._state.isInserted || object._state.isOut || (loadsRows && !object.realise()) { return false }
            return !object.isMaterialised(index) || object.toMany(at: index).isFault
        }
        guard !unread.isEmpty else { return }
        if let parent {
            return try inParent(parent) {
                try parent.lendMembers(relationship, to: unread, of: self, materialisesEmpty: materialisesEmpty)
            }
        }
        let keys = ContiguousArray(unread.lazy.map(\._key).filter { $0 > 0 }).distinct
        guard let store = table.store, !keys.isEmpty else { return }
        let sink = FetchSink(self, store: store)
        var groups: [(key: Int64, members: ContiguousArray<NSManagedObject>)] = []
        try reading(store) {
            try $0.readToManyRows(relationship, of: table.layout, keys: keys, into: sink) { key in
                // What came until now belongs to the group before.
                if !groups.isEmpty {
                    groups[groups.count - 1].members = destinations(
                        ContiguousArray(sink.takeObjects()), of: relationship)
                }
                groups.append((key, []))
            }
        }
        if !groups.isEmpty {
            groups[groups.count - 1].members = destinations(ContiguousArray(sink.takeObjects()), of: relationship)
        }
        for group in groups { table.uniquing.object(for: group.key)?.toMany(at: index).fill(group.members) }
        for object in unread where materialisesEmpty || object.isMaterialised(index) {
            guard !loadsRows || object._row != nil else { continue }
            let toMany = object.toMany(at: index)
            if toMany.isFault { toMany.fill([]) }
        }
    }

    private final func prefetchToOne(
        _ relationship: EntityLayout.Relationship, of objects: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        try loadRows(of: objects)
        var destinations: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects {
            guard let destination = object.toOne(at: relationship.index) else { continue }
            if seen.insert(ObjectIdentifier(destination)).inserted { destinations.append(destination) }
        }
        try loadRows(of: destinations)
        return destinations
    }
}
