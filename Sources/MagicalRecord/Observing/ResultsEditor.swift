import CoreData

/// An editor that brings sorted results up to date with a few changed objects, without fetching.
struct ResultsEditor<Object: NSManagedObject> {
    private let predicate: NSPredicate?
    private let descriptors: [NSSortDescriptor]
    private let sectionNameKeyPath: String?

    /// Returns nil for requests with results that depend on more than each object: with a limit, without an order, or without
    /// unsaved changes.
    init?(_ request: NSFetchRequest<Object>, _ sectionNameKeyPath: String?) {
        guard request.fetchLimit == 0, request.fetchOffset == 0, request.includesPendingChanges,
            let descriptors = request.sortDescriptors, !descriptors.isEmpty
        else { return nil }
        predicate = request.predicate
        self.descriptors = descriptors
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    /// - Parameter changed: objects of the entity that may have changed, or been inserted or deleted.
    /// - Returns: The new state, nil if no object was inserted, deleted or moved; and the changed objects that are results now.
    func applying(
        _ changed: Set<NSManagedObject>, to state: ResultState<Object>, in context: NSManagedObjectContext
    ) -> (state: ResultState<Object>?, members: Set<Object>) {
        var objects = state.objects
        var names = sectionNameKeyPath == nil ? nil : state.names
        var leaving: [Int] = []
        let members = Set(changed.compactMap { $0 as? Object }.filter { belongs($0, context) })
        var arriving = members
        let places = indexes(of: changed, in: objects)
        let placeSet = Set(places)
        var before = -1
        for index in places {
            let object = objects[index]
            // An object that is in order between the kept objects before it and the unchanged objects stays: objects that
            // compare as equal do not change places.
            if leaving.last != index - 1 { before = index - 1 }
            var after = index + 1
            while placeSet.contains(after) { after += 1 }
            if arriving.contains(object), before < 0 || compare(objects[before], object) != .orderedDescending,
                after == objects.count || compare(object, objects[after]) != .orderedDescending,
                names == nil || names?[index] == name(of: object)
            {
                arriving.remove(object)
            } else {
                leaving.append(index)
            }
        }
        if leaving.isEmpty, arriving.isEmpty { return (nil, members) }
        for index in leaving.reversed() {
            objects.remove(at: index)
            names?.remove(at: index)
        }
        insert(arriving, into: &objects, &names)
        return (ResultState(objects, names: names), members)
    }

    private func name(of object: Object) -> String? { sectionNameKeyPath.map { SectionName.of(object, $0) } }

    private func belongs(_ object: Object, _ context: NSManagedObjectContext) -> Bool {
        !object.isDeleted && object.managedObjectContext === context && predicate?.evaluate(with: object) ?? true
    }

    private func indexes(of changed: Set<NSManagedObject>, in objects: [Object]) -> [Int] {
        if changed.count <= 4 {
            return changed.compactMap { object in objects.firstIndex { $0 === object } }.sorted()
        }
        let wanted = Set(changed.map { ObjectIdentifier($0) })
        return objects.indices.filter { wanted.contains(ObjectIdentifier(objects[$0])) }
    }

    private func insert(_ arriving: Set<Object>, into objects: inout [Object], _ names: inout [String]?) {
        let sorted = arriving.sorted { compare($0, $1) == .orderedAscending }
        guard sorted.count > 4 else {
            for object in sorted {
                let place = self.place(of: object, in: objects, from: 0)
                objects.insert(object, at: place)
                if let name = name(of: object) { names?.insert(name, at: place) }
            }
            return
        }
        var (merged, mergedNames, start) = ([Object](), [String](), 0)
        merged.reserveCapacity(objects.count + sorted.count)
        for object in sorted {
            let place = self.place(of: object, in: objects, from: start)
            merged += objects[start..<place]
            merged.append(object)
            if let name = name(of: object), let names {
                mergedNames += names[start..<place]
                mergedNames.append(name)
            }
            start = place
        }
        merged += objects[start...]
        if let old = names { names = mergedNames + old[start...] }
        objects = merged
    }

    /// Returns the index behind all objects that do not sort after an object.
    private func place(of object: Object, in objects: [Object], from start: Int) -> Int {
        (start..<objects.count).partitioningIndex { compare(objects[$0], object) == .orderedDescending }
    }

    private func compare(_ a: Object, _ b: Object) -> ComparisonResult {
        descriptors.lazy.map { $0.compare(a, to: b) }.first { $0 != .orderedSame } ?? .orderedSame
    }
}
