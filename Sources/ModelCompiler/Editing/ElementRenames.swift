import ModelFormat

/// The former names of the entities and properties that a change of a model renames: the renaming identifier is the name
/// of a sibling that is gone.
struct ElementRenames {
    /// The former names of entities, by the new ones.
    private var entities: [String: String] = [:]
    /// The former names of properties, by the new names of entity and property.
    private var properties: [String: [String: String]] = [:]

    /// Creates an instance without names.
    init() {}

    /// Finds the names in two versions of a model.
    init(from old: Model, to new: Model) {
        entities = Self.names(old.entities.map(\.name), new.entities.map { ($0.name, $0.renamingIdentifier) })
        for entity in new.entities {
            guard let former = old.entity(named: entities[entity.name] ?? entity.name) else { continue }
            let kinds = [
                (former.attributes.map(\.name), entity.attributes.map { ($0.name, $0.renamingIdentifier) }),
                (former.relationships.map(\.name), entity.relationships.map { ($0.name, $0.renamingIdentifier) }),
                (
                    former.fetchedProperties.map(\.name),
                    entity.fetchedProperties.map { ($0.name, $0.renamingIdentifier) }
                ),
            ]
            for (old, new) in kinds { properties[entity.name, default: [:]].merge(Self.names(old, new)) { $1 } }
        }
    }

    private static func names(_ old: [String], _ new: [(name: String, identifier: String?)]) -> [String: String] {
        var gone = Set(old).subtracting(new.map(\.name))
        var names: [String: String] = [:]
        for (name, identifier) in new where !old.contains(name) {
            if let identifier, gone.remove(identifier) != nil { names[name] = identifier }
        }
        return names
    }

    /// Returns the identity that a child of an element of the new document has in the old one.
    func former(_ key: SourceElement.Key, in parent: SourceElement) -> SourceElement.Key {
        let names: [String: String]? =
            switch (parent.tag, key.tag) {
            case ("model", "entity"): entities
            case ("entity", "attribute"), ("entity", "relationship"), ("entity", "fetchedProperty"):
                parent.attribute("name").flatMap { properties[SourceElement.decoded($0.rawValue)] }
            default: nil
            }
        var former = key
        if let name = key.name, let old = names?[name] { former.name = old }
        return former
    }
}
