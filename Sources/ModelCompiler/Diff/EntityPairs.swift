import ModelFormat

/// Which entities and properties of two versions belong together, as Core Data pairs them: by renaming identifier, which
/// is the name unless set.
struct EntityPairs {
    let old: ModelIndex
    let new: ModelIndex
    private(set) var oldByNew: [String: String] = [:]
    private(set) var newByOld: [String: String] = [:]

    init(_ oldModel: Model, _ newModel: Model) {
        old = ModelIndex(oldModel)
        new = ModelIndex(newModel)
        let pairs = Self.pairs(
            oldModel.entities.map { ($0.name, $0.renamingIdentifier) },
            newModel.entities.map { ($0.name, $0.renamingIdentifier) })
        for (oldName, newName) in pairs {
            oldByNew[newName] = oldName
            newByOld[oldName] = newName
        }
    }

    /// Pairs names of the old side with names of the new. Identifiers win over names, so that a new thing of an old name
    /// does not take the place of the renamed one.
    static func pairs(
        _ old: [(name: String, identifier: String?)], _ new: [(name: String, identifier: String?)]
    ) -> [(old: String, new: String)] {
        var result: [(old: String, new: String)] = []
        var usedOld: Set<String> = []
        var usedNew: Set<String> = []
        func pair(_ oldName: String, _ newName: String) {
            guard usedOld.insert(oldName).inserted else { return }
            usedNew.insert(newName)
            result.append((oldName, newName))
        }
        for item in new {
            guard let identifier = item.identifier, identifier != item.name else { continue }
            let match = old.first { ($0.identifier ?? $0.name) == identifier } ?? old.first { $0.name == identifier }
            if let match { pair(match.name, item.name) }
        }
        for item in new where !usedNew.contains(item.name) {
            if let match = old.first(where: { $0.name == item.name && !usedOld.contains($0.name) }) {
                pair(match.name, item.name)
            }
        }
        return result
    }
}

/// A model's entities by name, with inheritance followed.
struct ModelIndex {
    let model: Model
    private let byName: [String: Entity]

    init(_ model: Model) {
        self.model = model
        byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
    }

    subscript(name: String?) -> Entity? { name.flatMap { byName[$0] } }

    /// The entity and its ancestors, nearest first; ends where inheritance goes in circles.
    func lineage(_ name: String) -> [Entity] {
        var lineage: [Entity] = []
        var visited: Set<String> = []
        var current = byName[name]
        while let entity = current, visited.insert(entity.name).inserted {
            lineage.append(entity)
            current = entity.parentName.flatMap { byName[$0] }
        }
        return lineage
    }

    /// The top of the entity's inheritance, whose table holds its rows.
    func root(_ name: String) -> String { lineage(name).last?.name ?? name }

    /// The entity and all that inherit from it.
    func family(_ name: String) -> [Entity] {
        model.entities.filter { lineage($0.name).contains { $0.name == name } }
    }

    func attributes(_ name: String) -> [Attribute] { lineage(name).flatMap(\.attributes) }
    func relationships(_ name: String) -> [Relationship] { lineage(name).flatMap(\.relationships) }
}
