/// What one context shows, as plain values: the reference the object graph is compared with.
///
/// Objects go by their labels. Each fact is kept once: who a node's parent is, not who its children are.
struct Graph: Equatable {
    enum Kind: String, CaseIterable {
        case node = "Node", leaf = "Leaf", box = "Box", item = "Item", badge = "Badge"
        var isNode: Bool { self == .node || self == .leaf }
    }

    struct Record: Equatable {
        var kind: Kind
        var name: String?
        var number: Int64 = 7
        var shade: Double?
        /// Of nodes.
        var parent: Int?
        var badge: Int?
        /// Of badges.
        var owner: Int?
        var words: [String]?
    }

    struct Link: Hashable {
        var from: Int
        var to: Int
    }

    var records: [Int: Record] = [:]
    var links: Set<Link> = []
    /// The items of each box that has any, in order.
    var items: [Int: [Int]] = [:]
    /// What deleted objects were when they were deleted. Not part of what can be seen.
    private var graveyard: [Int: Record] = [:]

    static func == (a: Graph, b: Graph) -> Bool { a.records == b.records && a.links == b.links && a.items == b.items }

    /// Remembers what objects were that an undo or redo took away.
    mutating func bury(lostSince old: Graph) {
        graveyard.merge(old.graveyard) { new, _ in new }
        for (label, record) in old.records where records[label] == nil { graveyard[label] = record }
    }

    /// What a parent shows that receives a child's save. Objects the child deleted keep the values they had here, but for
    /// what the child's other objects took from them.
    func receiving(_ child: Graph, changedSince base: Graph) -> Graph {
        var mine = self
        for (label, record) in child.records.sorted(by: { $0.key < $1.key }) {
            let old = base.records[label]
            if record.kind.isNode, record.badge != old?.badge { mine.setBadge(record.badge, of: label) }
            if record.kind == .badge, record.owner != old?.owner { mine.setOwner(record.owner, of: label) }
        }
        var result = child
        result.graveyard = graveyard
        for (label, record) in mine.records where child.records[label] == nil { result.graveyard[label] = record }
        return result
    }

    func labels(_ isWanted: (Kind) -> Bool) -> [Int] { records.filter { isWanted($0.value.kind) }.keys.sorted() }
    func children(of label: Int) -> Set<Int> { Set(records.filter { $0.value.parent == label }.keys) }
    func box(of item: Int) -> Int? { items.first { $0.value.contains(item) }?.key }

    // MARK: Edits, both sides at once

    mutating func setParent(_ parent: Int?, of child: Int) { records[child]?.parent = parent }

    mutating func setBadge(_ badge: Int?, of node: Int) {
        if let old = records[node]?.badge, old != badge { records[old]?.owner = nil }
        if let badge, let previous = records[badge]?.owner, previous != node { records[previous]?.badge = nil }
        records[node]?.badge = badge
        if let badge { records[badge]?.owner = node }
    }

    mutating func setOwner(_ owner: Int?, of badge: Int) {
        if let owner { return setBadge(badge, of: owner) }
        if let old = records[badge]?.owner { setBadge(nil, of: old) }
    }

    mutating func setItems(_ new: [Int], of box: Int) {
        for item in new where self.box(of: item) != box { remove(item: item) }
        items[box] = new.isEmpty ? nil : new
    }

    mutating func setBox(_ box: Int?, of item: Int) {
        guard self.box(of: item) != box else { return }
        remove(item: item)
        if let box { items[box, default: []].append(item) }
    }

    private mutating func remove(item: Int) {
        guard let box = box(of: item), var list = items[box] else { return }
        list.removeAll { $0 == item }
        items[box] = list.isEmpty ? nil : list
    }

    /// By the rules of the model. What goes together leaves its traces in others only: deleted objects keep their values.
    mutating func delete(_ label: Int) {
        guard let record = records[label] else { return }
        let gone = Set([label] + (items[label] ?? []) + (record.badge.map { [$0] } ?? []))
        for label in gone {
            guard let record = records.removeValue(forKey: label) else { continue }
            graveyard[label] = record
            if record.kind == .item { remove(item: label) }
            items[label] = nil
        }
        for (other, value) in records {
            if let parent = value.parent, gone.contains(parent) { records[other]?.parent = nil }
            if let badge = value.badge, gone.contains(badge) { records[other]?.badge = nil }
            if let owner = value.owner, gone.contains(owner) { records[other]?.owner = nil }
        }
        links = links.filter { !gone.contains($0.from) && !gone.contains($0.to) }
    }
}

// MARK: - Merging

extension Graph {
    /// What a context shows that had unsaved changes when those it builds on changed from `base` to `new`: what was changed
    /// here stays, everything else is new.
    ///
    /// - Parameter ambiguous: Boxes whose items were changed on both sides: their order is nobody's promise.
    func rebased(from base: Graph, onto new: Graph, ambiguous: inout Set<Int>) -> Graph {
        var result = Graph()
        let deletedHere = Set(base.records.keys).subtracting(records.keys)
        let isGone: (Int?) -> Bool = { label in label.map { base.records[$0] != nil && new.records[$0] == nil } ?? false
        }
        var mine = records.merging(graveyard.filter { deletedHere.contains($0.key) }) { alive, _ in alive }
        for (label, record) in mine {
            // What was led here to an object that is gone now leads nowhere, which may be no change any more.
            let old = base.records[label]
            if record.parent != old?.parent, isGone(record.parent) { mine[label]?.parent = nil }
            if record.badge != old?.badge, isGone(record.badge) { mine[label]?.badge = nil }
            if record.owner != old?.owner, isGone(record.owner) { mine[label]?.owner = nil }
        }
        for (label, record) in new.records {
            if let old = base.records[label] {
                guard let mine = mine[label] else { continue }
                result.records[label] = Self.merge(mine, old, record)
            } else {
                result.records[label] = record
            }
        }
        for (label, record) in mine where base.records[label] == nil { result.records[label] = record }
        mergeLinks(base, new, &result)
        mergeItems(base, new, isGone, &result, &ambiguous)
        result.settleBadges(mine: mine, base: base, new: new)
        // Objects that wait to be deleted keep their own values, whatever the rules do to others, and be it that they lead to
        // new objects that went with them.
        let waiting = result.records.filter { deletedHere.contains($0.key) }
        result.dropDangling()
        for label in deletedHere.sorted() { result.delete(label) }
        result.graveyard.merge(waiting) { $1 }
        ambiguous = ambiguous.filter { result.records[$0] != nil }
        return result
    }

    private static func merge(_ mine: Record, _ base: Record, _ new: Record) -> Record {
        func pick<T: Equatable>(_ field: KeyPath<Record, T>) -> T {
            mine[keyPath: field] == base[keyPath: field] ? new[keyPath: field] : mine[keyPath: field]
        }
        return Record(
            kind: mine.kind, name: pick(\.name), number: pick(\.number), shade: pick(\.shade), parent: pick(\.parent),
            badge: pick(\.badge), owner: pick(\.owner), words: pick(\.words))
    }

    private func mergeLinks(_ base: Graph, _ new: Graph, _ result: inout Graph) {
        result.links = new.links.union(links.subtracting(base.links)).subtracting(base.links.subtracting(links))
        // Links of an object deleted here are not changes: they go with it.
        let here = result.links
        for link in base.links.subtracting(links).intersection(new.links)
        where records[link.from] == nil || records[link.to] == nil {
            if !here.contains(link), result.records[link.from] != nil, result.records[link.to] != nil {
                result.links.insert(link)
            }
        }
    }

    private func mergeItems(
        _ base: Graph, _ new: Graph, _ isGone: (Int?) -> Bool, _ result: inout Graph, _ ambiguous: inout Set<Int>
    ) {
        var members: [Int: Set<Int>] = [:]
        for (label, record) in result.records where record.kind == .item {
            let (current, old, other) = (box(of: label), base.box(of: label), new.box(of: label))
            let mine = current != old && isGone(current) ? nil : current
            let isKnownHere = records[label] != nil || graveyard[label] != nil
            let box = isKnownHere && mine != old ? mine : other
            if let box, result.records[box] != nil { members[box, default: []].insert(label) }
        }
        for (box, present) in members {
            let (mine, old, other) = (items[box] ?? [], base.items[box] ?? [], new.items[box] ?? [])
            let order = mine == old ? other : mine
            if mine != old, other != old { ambiguous.insert(box) }
            let known = order.filter(present.contains)
            let rest = present.subtracting(known).sorted()
            if rest.count > 1 || (!rest.isEmpty && mine != old) { ambiguous.insert(box) }
            result.items[box] = known + rest
        }
    }

    /// Both ends of a badge are facts of their own: where one was changed here, whom it led to elsewhere loses it.
    private mutating func settleBadges(mine: [Int: Record], base: Graph, new: Graph) {
        for (label, record) in mine {
            guard let old = base.records[label], let other = new.records[label] else { continue }
            if record.badge != old.badge, other.badge != old.badge, let there = other.badge, there != record.badge,
                records[there]?.owner == label
            {
                records[there]?.owner = nil
            }
            if record.owner != old.owner, other.owner != old.owner, let there = other.owner, there != record.owner,
                records[there]?.badge == label
            {
                records[there]?.badge = nil
            }
        }
    }

    private mutating func dropDangling() {
        for (label, record) in records {
            if let parent = record.parent, records[parent] == nil { records[label]?.parent = nil }
            if let badge = record.badge, records[badge] == nil { records[label]?.badge = nil }
            if let owner = record.owner, records[owner] == nil { records[label]?.owner = nil }
        }
        links = links.filter { records[$0.from] != nil && records[$0.to] != nil }
    }
}
