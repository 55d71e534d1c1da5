import CoreDataRowStorage

extension NSManagedObjectContext {
    /// Loads the destinations of relationships of fetched objects, with one query for each step of a key path.
    ///
    /// - Throws: `NSCoreDataError` if a key path does not consist of relationships; errors of the store.
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

    /// Checks that key paths can be prefetched, for batched results.
    ///
    /// - Throws: `NSCoreDataError` if a key path does not consist of relationships.
    final func checkPrefetching(_ keyPaths: [String], of request: FetchRequestBase) throws {
        let layouts = layouts
        for keyPath in keyPaths {
            guard let layout = layouts.byName[request.entityName ?? ""] else { continue }
            var current = [layout]
            for name in keyPath.split(separator: ".").map(String.init) {
                // Relationships of subentities may share a name and have different destination entities.
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

    /// Prefetches the destinations of the objects that have rows; the key paths were checked before. Data that cannot be read
    /// now is read on access.
    final func prefetchAtHand(_ keyPaths: [String], of objects: [NSManagedObject]) {
        guard !keyPaths.isEmpty else { return }
        let loaded = objects.filter { $0._row != nil }
        guard let first = loaded.first else { return }
        // One by one: this batch may have no object with a subentity's relationship.
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

    /// Returns the objects without duplicates: destinations shared by several sources are loaded once.
    private static func eachOnce(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen = Set<ObjectIdentifier>(minimumCapacity: objects.count)
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Materializes one relationship of many objects and returns its destinations; nothing for the last step of a key path.
    ///
    /// - Parameter way: The key path from the fetched objects, if instruments record it; on return with this step added.
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

    /// Materializes one relationship of many objects, for internal use.
    final func prefetchStep(_ name: String, of objects: [NSManagedObject]) throws {
        var way: ObjectWay?
        _ = try prefetchStep(name, of: objects, isLast: true, by: &way)
    }

    /// Groups the objects that are in a context by their tables.
    static func groupedByTable(_ objects: [NSManagedObject]) -> [(table: EntityTable, objects: [NSManagedObject])] {
        guard let first = objects.first?._table else {
            return objects.count < 2 ? [] : groupedByTable(objects.filter { $0._table != nil })
        }
        // Nearly always all objects are of one entity.
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

    /// Fills a to-many relationship of many objects in one table, with one query.
    ///
    /// - Parameters:
    ///   - materialisesEmpty: Whether to materialize relationships without members too.
    ///   - loadsRows: Whether to load the objects' own rows as well as the members.
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
                // The objects received so far belong to the previous group.
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
