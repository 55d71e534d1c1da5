import ModelFormat

extension StoreSchema {
    /// Returns the entities of a table, each with the properties that it declares itself.
    func declaring(in table: EntityTable) -> [StoreEntity] {
        table.family.compactMap { number -> StoreEntity? in
            guard var entity = entity(number) else { return nil }
            guard entity.parent != 0, let parent = self.entity(entity.parent) else { return entity }
            let attributes = Set(parent.attributes.map(\.path))
            let toOnes = Set(parent.toOnes.map(\.name))
            let toManys = Set(parent.toManys.map(\.name))
            let unique = Set(parent.uniqueColumns)
            entity.attributes.removeAll { attributes.contains($0.path) }
            entity.toOnes.removeAll { toOnes.contains($0.name) }
            entity.toManys.removeAll { toManys.contains($0.name) }
            entity.uniqueColumns.removeAll(where: unique.contains)
            return entity
        }
    }

    func table(of entity: StoreEntity) -> EntityTable? { tables.first { $0.name == entity.table } }

    /// Returns the SQL that restricts rows to an entity and its subentities; nil if a table has no other rows.
    ///
    /// - Parameter alias: The alias of the row.
    func restriction(to entity: StoreEntity, _ alias: String) -> String? {
        if let table = table(of: entity), Set(table.family) == Set(entity.family) { return nil }
        return "\(alias).Z_ENT IN (\(entity.family.map(String.init).joined(separator: ", ")))"
    }
}

extension Model {
    /// Returns an attribute of an entity, its own or an inherited one.
    func attribute(_ name: String, of entity: String) -> Attribute? {
        lineage(entity) { $0.attributes.first { $0.name == name } }
    }

    /// Returns a relationship of an entity, its own or an inherited one.
    func relationship(_ name: String, of entity: String) -> Relationship? {
        lineage(entity) { $0.relationships.first { $0.name == name } }
    }

    private func lineage<Value>(_ name: String, _ find: (Entity) -> Value?) -> Value? {
        var next: String? = name
        var steps = 0
        while let name = next, let entity = self.entity(named: name), steps <= entities.count {
            if let found = find(entity) { return found }
            next = entity.parentName
            steps += 1
        }
        return nil
    }
}
