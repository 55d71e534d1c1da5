/// Pairs the named things of two lists: entities, the properties of an entity, or the elements of a composite attribute.
///
/// A thing corresponds to the one of the same renaming identifier (the name, unless set); failing that, to the one whose
/// name its identifier is. One with an identifier that leads nowhere is new, also where there was something else of its name.
package struct Matching {
    package struct Item {
        package var name: String
        package var identifier: String?

        package init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier
        }
    }

    /// Source names by destination names.
    package private(set) var pairs: [String: String] = [:]
    /// Groups of destination names that claim one source, in words.
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
