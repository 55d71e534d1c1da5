/// Everything about one object that can change, both ends of its relationships included.
struct Facts: Equatable {
    var record: Graph.Record
    /// Of nodes.
    var children: Set<Int> = []
    var links: Set<Int> = []
    var linkedBy: Set<Int> = []
    /// Of boxes.
    var items: [Int] = []
    /// Of items.
    var box: Int?

    /// The names of the properties that were something else before.
    func keys(changedSince old: Facts) -> Set<String> {
        guard self != old else { return [] }
        var keys: Set<String> = []
        func compare<T: Equatable>(_ key: String, _ field: KeyPath<Facts, T>) {
            if self[keyPath: field] != old[keyPath: field] { keys.insert(key) }
        }
        compare("name", \.record.name)
        compare("number", \.record.number)
        compare("shade", \.record.shade)
        compare("parent", \.record.parent)
        compare("badge", \.record.badge)
        compare("owner", \.record.owner)
        compare("words", \.record.words)
        compare("children", \.children)
        compare("links", \.links)
        compare("linkedBy", \.linkedBy)
        compare("items", \.items)
        compare("box", \.box)
        return keys
    }
}

extension Graph {
    /// What there is to know about each object.
    var facts: [Int: Facts] {
        var facts = records.mapValues { Facts(record: $0) }
        for (label, record) in records {
            if let parent = record.parent { facts[parent]?.children.insert(label) }
        }
        for link in links {
            facts[link.from]?.links.insert(link.to)
            facts[link.to]?.linkedBy.insert(link.from)
        }
        for (box, items) in items {
            facts[box]?.items = items
            for item in items { facts[item]?.box = box }
        }
        return facts
    }
}
