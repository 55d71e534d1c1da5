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
            let wrong = Set(actual.records.keys).union(view.records.keys).filter {
                actual.records[$0] != view.records[$0]
            }
            let suspects = objects + (try parent?.allObjects() ?? [])
            throw GraphFailure(
                """
                \(name) shows \(Self.difference(actual, view))
                inserted, updated, deleted are \(sets)
                here and in the parent: \(suspects.filter { wrong.contains($0.label) })
                """)
        }
        if reported != Set(view.records.keys) {
            throw GraphFailure(
                "\(name): by its notifications it has \(reported.sorted()), in truth \(view.records.keys.sorted())")
        }
        let (mine, old) = (view.facts, base.facts)
        try checkSets(mine, old)
        for object in objects { try checkChanges(of: object, mine, old) }
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
            if kind == .badge {
                record.owner = object.labelOfOne("owner")
                record.words = object.value(forKey: "words") as? [String]
            }
            if kind == .box {
                let order = object.order("items")
                if !order.isEmpty { graph.items[label] = order }
            }
            graph.records[label] = record
        }
        let facts = graph.facts
        for object in objects { try checkOtherEnd(of: object, facts) }
        return graph
    }

    private func checkOtherEnd(of object: NSManagedObject, _ all: [Int: Facts]) throws {
        let label = object.label
        guard let facts = all[label] else { return }
        func expect<T: Equatable>(_ what: String, _ one: T, _ other: T) throws {
            if one != other {
                throw GraphFailure(
                    "\(name): \(what) of \(label) is \(one), but the other end says \(other)\nwanted \(view.facts[label] as Any)\nIt is \(object)"
                )
            }
        }
        switch facts.record.kind {
        case .node, .leaf:
            try expect("children", object.labels("children"), facts.children)
            try expect("linkedBy", object.labels("linkedBy"), facts.linkedBy)
        case .item: try expect("box", object.labelOfOne("box"), facts.box)
        default: break
        }
    }

    private func checkSets(_ mine: [Int: Facts], _ old: [Int: Facts]) throws {
        let here = Set(view.records.keys), there = Set(base.records.keys)
        func expect(_ what: String, _ actual: Set<Int>, _ wanted: Set<Int>) throws {
            if actual != wanted {
                throw GraphFailure("\(name): \(what) are \(actual.sorted()), should be \(wanted.sorted())")
            }
        }
        try expect("insertedObjects", Set(context.insertedObjects.map(\.label)), here.subtracting(there))
        try expect("deletedObjects", Set(context.deletedObjects.map(\.label)), there.subtracting(here))
        let updated = Set(context.updatedObjects.map(\.label))
        let changed = here.intersection(there).filter { mine[$0] != old[$0] }
        if !updated.isSuperset(of: changed) {
            throw GraphFailure("\(name): \(changed.subtracting(updated)) changed but are not in updatedObjects")
        }
        let isDirty = here != there || !updated.isEmpty
        if context.hasChanges != isDirty { throw GraphFailure("\(name): hasChanges is \(context.hasChanges)") }
        for object in held.values where object.managedObjectContext === context {
            if context.registeredObject(for: object.objectID) !== object {
                throw GraphFailure("\(name): \(object) is not registered")
            }
        }
    }

    private func checkChanges(of object: NSManagedObject, _ mine: [Int: Facts], _ old: [Int: Facts]) throws {
        let label = object.label
        guard let before = old[label], let facts = mine[label] else { return }
        let wanted = facts.keys(changedSince: before)
        let actual = Set(object.changedValues().keys)
        if actual != wanted {
            throw GraphFailure(
                "\(name): changedValues of \(label) are \(actual.sorted()), should be \(wanted.sorted())")
        }
        if object.hasPersistentChangedValues != !wanted.isEmpty {
            throw GraphFailure("\(name): hasPersistentChangedValues of \(label) is wrong")
        }
        let committed = object.committedValues(forKeys: ["name", "number"])
        if committed["name"] as? String != base.records[label]?.name
            || (committed["number"] as? NSNumber)?.int64Value != base.records[label]?.number
        {
            throw GraphFailure("\(name): committedValues of \(label) are \(committed)")
        }
        if facts.record.kind == .badge {
            let words = object.committedValues(forKeys: ["words"])["words"] as? [String]
            if words != before.record.words {
                throw GraphFailure("\(name): committed words of \(label) are \(words ?? [])")
            }
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
