/// A version of a model as plain values, from which a Core Data model is created and the expected content is computed.
public struct Schema: Sendable {
    /// The entities, in no order.
    public var entities: [EntityShape]

    init(_ entities: [EntityShape]) { self.entities = entities }

    /// The entities that have no parent, by name.
    var roots: [String] { entities.filter { $0.parent == nil }.map(\.name).sorted() }

    /// Returns the entity with a name. An unknown name is a programming error.
    func entity(_ name: String) -> EntityShape {
        guard let entity = entities.first(where: { $0.name == name }) else {
            preconditionFailure("no entity is called \(name)")
        }
        return entity
    }

    /// Returns an entity and its superentities.
    func line(of name: String) -> [EntityShape] {
        let entity = entity(name)
        return [entity] + (entity.parent.map(line) ?? [])
    }

    /// Returns the attributes of an entity, including inherited ones.
    func attributes(of name: String) -> [AttributeShape] { line(of: name).flatMap(\.attributes) }

    /// Returns the relationships of an entity, including inherited ones.
    func links(of name: String) -> [LinkShape] { line(of: name).flatMap(\.links) }

    /// Returns the relationship of an entity with a name.
    func link(_ name: String, of entity: String) -> LinkShape {
        guard let link = links(of: entity).first(where: { $0.name == name }) else {
            preconditionFailure("\(entity) has no relationship called \(name)")
        }
        return link
    }

    /// Returns the schema with an entity changed.
    func changing(_ name: String, _ change: (inout EntityShape) -> Void) -> Schema {
        var schema = self
        for index in schema.entities.indices where schema.entities[index].name == name {
            change(&schema.entities[index])
        }
        return schema
    }
}

extension EntityShape {
    /// Renames an attribute and keeps its former name as the renaming identifier.
    mutating func rename(_ former: String, to name: String) {
        for index in attributes.indices where attributes[index].name == former {
            attributes[index].formerName = former
            attributes[index].name = name
        }
    }

    /// Renames a relationship and keeps its former name as the renaming identifier.
    mutating func renameLink(_ former: String, to name: String) {
        for index in links.indices where links[index].name == former {
            links[index].formerName = former
            links[index].name = name
        }
    }
}
