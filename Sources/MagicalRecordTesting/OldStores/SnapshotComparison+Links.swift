import MagicalRecord

extension SnapshotComparison {
    private struct Link: Hashable {
        let source: Int
        /// -1 for an object that does not exist.
        let destination: Int
        /// The position in an ordered relationship.
        var position = 0
    }

    /// Compares the relationships of an entity and returns the number of links compared.
    mutating func compareLinks(of pair: Pair) -> Int {
        guard let formerName = pair.formerName, let before = pair.old, let after = new.entities[pair.name] else {
            return 0
        }
        let newNames = pairing.names(inOldEntity: formerName)
        var compared = 0
        for (key, lists) in before.links.sorted(by: { $0.key < $1.key }) {
            guard let relationship = before.description.relationshipsByName[key],
                isCompared(relationship, of: formerName)
            else { continue }
            let oldLinks = links(lists, before.objects, oldMarks)
            guard let name = newNames[key], let newLists = after.links[name] else {
                let count = lists.reduce(0) { $0 + $1.count }
                if count > 0 { losses.append("\(count) links of \(formerName).\(key)") }
                continue
            }
            let newLinks = links(newLists, after.objects, newMarks)
            compared += oldLinks.count
            let place = words("\(pair.name).\(name)", "\(formerName).\(key)")
            let names = [pair.name, formerName].flatMap { [$0, "\($0).\(name)", "\($0).\(key)"] }
            let lost = Bag(oldLinks.map(Self.unordered)).subtracting(Bag(newLinks.map(Self.unordered))).elements.count
            let isOrdered =
                relationship.isOrdered && after.description.relationshipsByName[name]?.isOrdered == true
            if lost > 0 {
                report("\(place) lost \(lost) of \(oldLinks.count) links", names)
            } else if isOrdered, !Bag(oldLinks).subtracting(Bag(newLinks)).isEmpty {
                report("\(place) has its \(oldLinks.count) links in another order", names)
            }
        }
        return compared
    }

    /// Returns the links from objects to others, by combinations, without those to objects of removed entities.
    private func links(_ lists: [[Int]], _ objects: Range<Int>, _ marks: [Int?]) -> [Link] {
        zip(objects, lists).flatMap { object, destinations in
            guard let source = marks[object] else { return [Link]() }
            // Positions are counted without the dropped links.
            return destinations.compactMap { $0 >= 0 ? marks[$0] : -1 }.enumerated().map { position, destination in
                Link(source: source, destination: destination, position: position)
            }
        }
    }

    private static func unordered(_ link: Link) -> Link { Link(source: link.source, destination: link.destination) }

    /// Returns whether a relationship is compared rather than its inverse: the one that still exists, or else the ordered, or else
    /// the to-one. Of two ordered ones, both are: each has an order.
    private func isCompared(_ relationship: NSRelationshipDescription, of entity: String) -> Bool {
        guard let inverse = relationship.inverseRelationship, let other = relationship.destinationEntity?.name else {
            return true
        }
        func isKept(_ relationship: NSRelationshipDescription, _ entity: String) -> Bool {
            pairing.names(inOldEntity: entity)[relationship.name] != nil
        }
        if relationship.isOrdered, isKept(relationship, entity) { return true }
        func rank(_ relationship: NSRelationshipDescription, _ entity: String) -> (Int, Int, Int, String) {
            (
                isKept(relationship, entity) ? 0 : 1, relationship.isOrdered ? 0 : 1, relationship.isToMany ? 1 : 0,
                relationship.name
            )
        }
        return rank(relationship, entity) <= rank(inverse, other)
    }
}
