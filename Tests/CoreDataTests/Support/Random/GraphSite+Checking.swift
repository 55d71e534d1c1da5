import CoreData

extension GraphSite {
    /// Compares everything that can be seen of the context with what it should be.
    func check() throws {
        process()
        if let complaint = complaints.first { throw GraphFailure("\(name): \(complaint)") }
        let objects = try allObjects()
        let actual = try readGraph(objects)
        if actual != view {
            let sets = [context.insertedObjects, context.updatedObjects, context.deletedObjects].map {
                $0.map(\.label).sorted()
            }
            throw GraphFailure(
                "\(name) shows \(Self.difference(actual, view))\ninserted, updated, deleted are \(sets)")
        }
        if reported != Set(view.records.keys) {
            throw GraphFailure(
                "\(name): by its notifications it has \(reported.sorted()), in truth \(view.records.keys.sorted())")
        }
        try checkSets()
        for object in objects { try checkChanges(of: object) }
        // Objects that are new, changed or deleted are held by the context; others may go.
        for (label, object) in held where object.managedObjectContext !== context || view.records[label] == nil {
            held[label] = nil
        }
    }

    /// Reads what the objects say, from both ends of every relationship.
    func readGraph(_ objects: [NSManagedObject]) throws -> Graph {
        var graph = Graph()
        for object in objects {
            let label = object.label
            guard let kind = Graph.Kind(rawValue: object.entity.name ?? "") else { continue }
            if graph.records[label] != nil { throw GraphFailure("\(name) has two objects \(label)") }
            var record = Graph.Record(kind: kind)
            record.name = object.value(forKey: "name") as? String
            record.number = (object.value(forKey: "number") as? NSNumber)?.int64Value ?? -1
            if kind == .leaf { record.shade = (object.value(forKey: "shade") as? NSNumber)?.doubleValue }
            if kind.isNode {
                record.parent = object.labelOfOne("parent")
                record.badge = object.labelOfOne("badge")
                for other in object.labels("links") { graph.links.insert(Graph.Link(from: label, to: other)) }
            }
            if kind == .badge { record.owner = object.labelOfOne("owner") }
            if kind == .box {
                let order = object.order("items")
                if !order.isEmpty { graph.items[label] = order }
            }
            graph.records[label] = record
        }
        for object in objects { try checkOtherEnd(of: object, in: graph) }
        return graph
    }

    private func checkOtherEnd(of object: NSManagedObject, in graph: Graph) throws {
        let label = object.label
        func expect<T: Equatable>(_ what: String, _ one: T, _ other: T) throws {
            if one != other {
                throw GraphFailure(
                    "\(name): \(what) of \(label) is \(one), but the other end says \(other)\nwanted \(view.facts(label))\nIt is \(object)"
                )
            }
        }
        switch graph.records[label]?.kind {
        case .node, .leaf:
            try expect("children", object.labels("children"), graph.children(of: label))
            try expect(
                "linkedBy", object.labels("linkedBy"), Set(graph.links.filter { $0.to == label }.map(\.from)))
        case .item: try expect("box", object.labelOfOne("box"), graph.box(of: label))
        default: break
        }
    }

    private func checkSets() throws {
        let here = Set(view.records.keys), there = Set(base.records.keys)
        func expect(_ what: String, _ actual: Set<Int>, _ wanted: Set<Int>) throws {
            if actual != wanted {
                throw GraphFailure("\(name): \(what) are \(actual.sorted()), should be \(wanted.sorted())")
            }
        }
        try expect("insertedObjects", Set(context.insertedObjects.map(\.label)), here.subtracting(there))
        try expect("deletedObjects", Set(context.deletedObjects.map(\.label)), there.subtracting(here))
        let updated = Set(context.updatedObjects.map(\.label))
        let changed = here.intersection(there).filter { view.facts($0) != base.facts($0) }
        if !updated.isSuperset(of: changed) {
            throw GraphFailure("\(name): \(changed.subtracting(updated)) changed but are not in updatedObjects")
        }
        let isDirty = here != there || !updated.isEmpty
        if context.hasChanges != isDirty { throw GraphFailure("\(name): hasChanges is \(context.hasChanges)") }
        let registered = Set(context.registeredObjects.map(ObjectIdentifier.init))
        for object in held.values where object.managedObjectContext === context {
            if !registered.contains(ObjectIdentifier(object)) {
                throw GraphFailure("\(name): \(object) is not registered")
            }
        }
    }

    private func checkChanges(of object: NSManagedObject) throws {
        let label = object.label
        guard base.records[label] != nil else { return }
        let (mine, old) = (view.facts(label), base.facts(label))
        var wanted: Set<String> = []
        for (key, value) in mine where value != old[key] { wanted.insert(key) }
        let actual = Set(object.changedValues().keys)
        if actual != wanted {
            throw GraphFailure(
                "\(name): changedValues of \(label) are \(actual.sorted()), should be \(wanted.sorted())")
        }
        if object.hasPersistentChangedValues != !object.changedValues().isEmpty {
            throw GraphFailure("\(name): hasPersistentChangedValues of \(label) is wrong")
        }
        let committed = object.committedValues(forKeys: ["name", "number"])
        if committed["name"] as? String != base.records[label]?.name
            || (committed["number"] as? NSNumber)?.int64Value != base.records[label]?.number
        {
            throw GraphFailure("\(name): committedValues of \(label) are \(committed)")
        }
    }

    private static func difference(_ actual: Graph, _ wanted: Graph) -> String {
        var lines: [String] = []
        for label in Set(actual.records.keys).union(wanted.records.keys).sorted() {
            let (one, other) = (actual.records[label], wanted.records[label])
            if one != other {
                lines.append(
                    "\(label): \(one.map { "\($0)" } ?? "nothing"), should be \(other.map { "\($0)" } ?? "nothing")")
            }
        }
        let (links, more) = (actual.links.subtracting(wanted.links), wanted.links.subtracting(actual.links))
        if !links.isEmpty { lines.append("wrong links \(links)") }
        if !more.isEmpty { lines.append("missing links \(more)") }
        if actual.items != wanted.items { lines.append("items \(actual.items), should be \(wanted.items)") }
        return lines.joined(separator: "\n")
    }
}

extension Graph {
    /// Everything about one object that can change, by property name.
    func facts(_ label: Int) -> [String: String] {
        guard let record = records[label] else { return [:] }
        var facts = ["name": record.name ?? "nil", "number": "\(record.number)"]
        switch record.kind {
        case .node, .leaf:
            facts["parent"] = record.parent.map { "\($0)" } ?? "nil"
            facts["badge"] = record.badge.map { "\($0)" } ?? "nil"
            facts["children"] = "\(children(of: label).sorted())"
            facts["links"] = "\(links.filter { $0.from == label }.map(\.to).sorted())"
            facts["linkedBy"] = "\(links.filter { $0.to == label }.map(\.from).sorted())"
            if record.kind == .leaf { facts["shade"] = record.shade.map { "\($0)" } ?? "nil" }
        case .badge: facts["owner"] = record.owner.map { "\($0)" } ?? "nil"
        case .box: facts["items"] = "\(items[label] ?? [])"
        case .item: facts["box"] = box(of: label).map { "\($0)" } ?? "nil"
        }
        return facts
    }
}
