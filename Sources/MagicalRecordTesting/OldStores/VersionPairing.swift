import MagicalRecord

/// The correspondence of two versions of a model by names and renaming identifiers, by the rules of inferred migrations.
struct VersionPairing {
    /// The names of old entities by the names of new ones.
    private(set) var entities: [String: String] = [:]
    /// The names of old properties by the names of new ones, including inherited ones, by new entity.
    private var properties: [String: [String: String]] = [:]

    /// Pairs each version with the next, oldest first, and returns what remains of the first in the last.
    init(through versions: [NSManagedObjectModel]) {
        let steps = zip(versions, versions.dropFirst()).map { VersionPairing(from: $0, to: $1) }
        guard var whole = steps.first else { return }
        for step in steps.dropFirst() { whole = step.following(whole) }
        self = whole
    }

    private init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        entities = Self.pairs(
            old.entities.map { Item($0.name, $0.renamingIdentifier) },
            new.entities.map { Item($0.name, $0.renamingIdentifier) })
        for (name, formerName) in entities {
            properties[name] = Self.pairs(
                Self.items(old.entitiesByName[formerName]), Self.items(new.entitiesByName[name]))
        }
    }

    /// Returns the name of the old property from which a new one is made.
    func formerName(of property: String, in entity: String) -> String? { properties[entity]?[property] }

    /// Returns the names of the old properties that still exist in an old entity, with the new names.
    func names(inOldEntity name: String) -> [String: String] {
        guard let entity = entities.first(where: { $0.value == name })?.key else { return [:] }
        return Dictionary((properties[entity] ?? [:]).map { ($1, $0) }) { first, _ in first }
    }

    private func following(_ earlier: VersionPairing) -> VersionPairing {
        var whole = self
        whole.entities = entities.compactMapValues { earlier.entities[$0] }
        whole.properties = [:]
        for (name, middle) in entities where earlier.entities[middle] != nil {
            whole.properties[name] = properties[name]?.compactMapValues { earlier.properties[middle]?[$0] }
        }
        return whole
    }

    private struct Item {
        let name: String
        let identifier: String

        init(_ name: String?, _ identifier: String?) {
            self.name = name ?? ""
            self.identifier = identifier ?? self.name
        }
    }

    private static func items(_ entity: NSEntityDescription?) -> [Item] {
        (entity?.propertiesByName ?? [:]).values.map { Item($0.name, $0.renamingIdentifier) }
            .sorted { $0.name < $1.name }
    }

    /// Returns the old names by new names: items with the same identifier, then those with the old name as identifier.
    private static func pairs(_ old: [Item], _ new: [Item]) -> [String: String] {
        var pairs: [String: String] = [:]
        var free = old
        let rules: [(Item, Item) -> Bool] = [{ $0.identifier == $1.identifier }, { $0.name == $1.identifier }]
        for rule in rules {
            free.removeAll { candidate in
                let claims = new.filter { pairs[$0.name] == nil && rule(candidate, $0) }
                guard let found = claims.first(where: { $0.name == candidate.name }) ?? claims.first else {
                    return false
                }
                pairs[found.name] = candidate.name
                return true
            }
        }
        return pairs
    }
}
