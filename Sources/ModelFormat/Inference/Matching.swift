/// Pairs the items of two lists by name: entities, the properties of an entity, or the elements of a composite attribute.
///
/// An item corresponds to the one with the same renaming identifier (by default the name), or else to the one named like its
/// identifier. An item with an identifier that matches nothing is new, even if the source has an item of its name.
package struct Matching {
    package struct Item {
        package var name: String
        package var identifier: String?

        package init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier
        }
    }

    /// The source names by destination names.
    package private(set) var pairs: [String: String] = [:]
    /// The groups of destination names that claim the same source, as text.
    package private(set) var ambiguities: [String] = []

    package init(source: [Item], destination: [Item]) {
        var free = source
        var open = destination
        func pass(_ matches: (Item, Item) -> Bool) -> ([(Item, Item)], [[Item]]) {
            var found: [(Item, Item)] = []
            var clashes: [[Item]] = []
            for candidate in free {
                let claims = open.filter { matches(candidate, $0) }
                guard let first = claims.first(where: { $0.name == candidate.name }) ?? claims.first else { continue }
                if claims.count > 1, first.name != candidate.name { clashes.append(claims) }
                found.append((candidate, first))
                open.removeAll { $0.name == first.name }
            }
            return (found, clashes)
        }
        let rules: [(Item, Item) -> Bool] = [
            { $0.identifier ?? $0.name == $1.identifier ?? $1.name },
            { $0.name == $1.identifier ?? $1.name },
        ]
        for rule in rules {
            let (found, clashes) = pass(rule)
            for (old, new) in found { pairs[new.name] = old.name }
            free.removeAll { old in found.contains { $0.0.name == old.name } }
            ambiguities += clashes.map { $0.map(\.name).sorted().joined(separator: " and ") }
        }
    }
}
