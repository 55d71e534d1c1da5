import CoreData

extension GraphWorld {
    /// Changes one property of one object, in one of the ways there are.
    func edit(at site: GraphSite) throws {
        guard let label = site.view.records.keys.sorted().randomElement(using: &random) else { return }
        let object = try site.object(label)
        let kind = site.view.records[label]!.kind
        switch (Int.random(in: 0..<10, using: &random), kind) {
        case (0, _), (1, _): setName(of: object, label, site)
        case (2, _): setNumber(of: object, label, site)
        case (3, .leaf): setShade(of: object, label, site)
        case (4, .node), (4, .leaf), (5, .node), (5, .leaf): try setParent(of: object, label, site)
        case (6, .node), (6, .leaf): try setChildren(of: object, label, site)
        case (7, .node), (7, .leaf), (8, .node), (8, .leaf): try link(object, label, site)
        case (9, .node), (9, .leaf): try setBadge(of: object, label, site)
        case (3, .badge), (4, .badge), (5, .badge): setWords(of: object, label, site)
        case (_, .badge): try setOwner(of: object, label, site)
        case (_, .item): try setBox(of: object, label, site)
        case (_, .box): try setItems(of: object, label, site)
        default: break
        }
    }

    private func pick(_ labels: [Int], orNone percent: Int = 30) -> Int? {
        Int.random(in: 0..<100, using: &random) < percent ? nil : labels.randomElement(using: &random)
    }

    private func object(_ label: Int?, _ site: GraphSite) throws -> NSManagedObject? { try label.map(site.object) }

    private func set(_ value: Any?, _ key: String, of object: NSManagedObject, _ label: Int, _ site: GraphSite) {
        note(
            "\(site.name) sets \(key) of \(label) to \(value.map { ($0 as? NSManagedObject).map { "\($0.label)" } ?? "\($0)" } ?? "nil")"
        )
        object.setValue(value, forKey: key)
    }

    private func setName(of object: NSManagedObject, _ label: Int, _ site: GraphSite) {
        let name = pick([1, 2, 3]).map { String(repeating: "name ", count: $0 * $0) }
        set(name, "name", of: object, label, site)
        site.view.records[label]?.name = name
    }

    private func setNumber(of object: NSManagedObject, _ label: Int, _ site: GraphSite) {
        let number = Int64.random(in: 5..<9, using: &random)
        set(number, "number", of: object, label, site)
        site.view.records[label]?.number = number
    }

    private func setShade(of object: NSManagedObject, _ label: Int, _ site: GraphSite) {
        let shade = pick([0, 1]).map(Double.init)
        set(shade, "shade", of: object, label, site)
        site.view.records[label]?.shade = shade
    }

    private func setWords(of object: NSManagedObject, _ label: Int, _ site: GraphSite) {
        let words = pick([0, 1, 2]).map { Array(["sea", "salt"].prefix($0)) }
        set(words, "words", of: object, label, site)
        site.view.records[label]?.words = words
    }

    private func setParent(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let parent = pick(site.view.labels(\.isNode))
        set(try self.object(parent, site), "parent", of: object, label, site)
        site.view.setParent(parent, of: label)
    }

    private func setChildren(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let nodes = site.view.labels(\.isNode)
        if Bool.random(using: &random), let child = pick(nodes, orNone: 0) {
            let set = object.mutableSetValue(forKey: "children")
            if Bool.random(using: &random) {
                note("\(site.name) adds child \(child) to \(label)")
                set.add(try site.object(child))
                site.view.setParent(label, of: child)
            } else {
                note("\(site.name) removes child \(child) from \(label)")
                set.remove(try site.object(child))
                if site.view.records[child]?.parent == label { site.view.setParent(nil, of: child) }
            }
            return
        }
        let children = Set(nodes.shuffled(using: &random).prefix(3))
        note("\(site.name) sets children of \(label) to \(children.sorted())")
        object.setValue(Set(try children.map(site.object)), forKey: "children")
        for child in site.view.children(of: label) where !children.contains(child) {
            site.view.setParent(nil, of: child)
        }
        for child in children { site.view.setParent(label, of: child) }
    }

    private func link(_ object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let nodes = site.view.labels(\.isNode)
        let isForward = Bool.random(using: &random)
        let key = isForward ? "links" : "linkedBy"
        func link(_ other: Int) -> Graph.Link {
            isForward ? Graph.Link(from: label, to: other) : Graph.Link(from: other, to: label)
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            guard let other = pick(nodes, orNone: 0) else { return }
            note("\(site.name) adds \(other) to \(key) of \(label)")
            object.mutableSetValue(forKey: key).add(try site.object(other))
            site.view.links.insert(link(other))
        case 1:
            guard let other = pick(nodes, orNone: 0) else { return }
            note("\(site.name) removes \(other) from \(key) of \(label)")
            object.mutableSetValue(forKey: key).remove(try site.object(other))
            site.view.links.remove(link(other))
        default:
            let others = Set(nodes.shuffled(using: &random).prefix(3))
            note("\(site.name) sets \(key) of \(label) to \(others.sorted())")
            object.setValue(Set(try others.map(site.object)), forKey: key)
            site.view.links = site.view.links.filter { (isForward ? $0.from : $0.to) != label }
            for other in others { site.view.links.insert(link(other)) }
        }
    }

    private func setBadge(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let badge = pick(site.view.labels { $0 == .badge })
        set(try self.object(badge, site), "badge", of: object, label, site)
        site.view.setBadge(badge, of: label)
    }

    private func setOwner(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let owner = pick(site.view.labels(\.isNode))
        set(try self.object(owner, site), "owner", of: object, label, site)
        site.view.setOwner(owner, of: label)
    }

    private func setBox(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        let box = pick(site.view.labels { $0 == .box })
        set(try self.object(box, site), "box", of: object, label, site)
        site.view.setBox(box, of: label)
    }

    private func setItems(of object: NSManagedObject, _ label: Int, _ site: GraphSite) throws {
        var items = site.view.items[label] ?? []
        let all = site.view.labels { $0 == .item }
        let ordered = object.mutableOrderedSetValue(forKey: "items")
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            guard let item = all.filter({ !items.contains($0) }).randomElement(using: &random) else { return }
            let position = Int.random(in: 0...items.count, using: &random)
            note("\(site.name) inserts item \(item) into \(label) at \(position)")
            ordered.insert(try site.object(item), at: position)
            items.insert(item, at: position)
        case 1:
            guard !items.isEmpty else { return }
            let position = items.indices.randomElement(using: &random)!
            note("\(site.name) removes the item at \(position) from \(label)")
            ordered.removeObject(at: position)
            items.remove(at: position)
        case 2:
            guard items.count > 1 else { return }
            note("\(site.name) swaps the first and last items of \(label)")
            ordered.exchangeObject(at: 0, withObjectAt: items.count - 1)
            items.swapAt(0, items.count - 1)
        default:
            items = Array(all.shuffled(using: &random).prefix(4))
            note("\(site.name) sets items of \(label) to \(items)")
            object.setValue(NSOrderedSet(array: try items.map(site.object)), forKey: "items")
        }
        site.view.setItems(items, of: label)
    }
}

extension GraphSite {
    /// Whether dropping one object's changes leads back to something that still exists.
    func canDropChanges(of label: Int) -> Bool {
        guard let record = base.records[label], view.records[label] != nil else { return false }
        let ends = [record.parent, record.badge, record.owner, base.box(of: label)].compactMap { $0 }
        let links = base.links.filter { $0.from == label || $0.to == label }.flatMap { [$0.from, $0.to] }
        let order = view.box(of: label) == base.box(of: label) && view.items[label] == base.items[label]
        return order && (ends + links).allSatisfy { view.records[$0] != nil }
    }

    /// What `refresh(_:mergeChanges: false)` does.
    func dropChanges(of label: Int) {
        guard let record = base.records[label] else { return }
        view.records[label]?.name = record.name
        view.records[label]?.number = record.number
        view.records[label]?.shade = record.shade
        view.records[label]?.words = record.words
        view.records[label]?.parent = record.parent
        if record.kind.isNode {
            view.setBadge(record.badge, of: label)
            view.links = view.links.filter { $0.from != label && $0.to != label }
                .union(base.links.filter { $0.from == label || $0.to == label })
        }
        if record.kind == .badge { view.setOwner(record.owner, of: label) }
    }
}
