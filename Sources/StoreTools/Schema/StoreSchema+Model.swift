import ModelFormat

extension StoreSchema {
    /// Derives the tables and columns of a model's store. Takes time linear in the number of properties, inherited ones
    /// counted for every subentity.
    ///
    /// A name that a file is known not to have is kept: a check reports it.
    ///
    /// - Parameters:
    ///   - model: The model of the store.
    ///   - numbers: The entity numbers in the file by name; nil for a new file.
    ///   - columns: The file's tables with their columns, for the names that follow from no rule; nil for a new file.
    /// - Throws: ``StoreToolError`` naming the entity if no SQLite store can have the model.
    package init(_ model: Model, numbers: [String: Int]? = nil, columns: [String: [String]]? = nil) throws {
        let outline = try ModelOutline(model)
        let assigned = EntityNumbers.assign(outline.entities.map(\.name), stored: numbers)
        for (entity, number) in zip(outline.entities, assigned) { entity.number = number }
        let tables = TableColumns(outline)
        let joins = JoinTables(outline, columns: columns)
        let indexes = IndexStatements(outline, tables, joins)
        var builder = StoreEntityBuilder(outline)
        self.init(
            entities: builder.entities(), tables: tables.tables, joins: joins.entries.map(\.table),
            indexes: indexes.all,
            triggers: DerivedStatements(outline).all, spatial: SpatialStatements(outline), omitted: indexes.omitted,
            tombstoneCount: builder.tombstoneCount)
    }

    /// Returns the statements that create an empty file's tables, indexes and triggers, in Core Data's order: each entity's table
    /// followed by its join tables, then indexes, triggers, system tables, and the spatial indexes.
    ///
    /// - Parameter isSpatial: Whether spatial indexes are included, which need an SQLite library with R-trees.
    package func creationStatements(isSpatial: Bool) -> [String] {
        var statements: [String] = []
        let joinsByRoot = [Int: [JoinTable]](grouping: joins) { entity($0.first.entity)?.root ?? 0 }
        for table in tables {
            statements.append(table.sql)
            statements += (joinsByRoot[table.root] ?? []).map(\.sql)
        }
        statements += indexes.map(\.sql) + triggers.map(\.sql) + SystemTables.all.map(\.sql)
        if isSpatial { statements += spatialTables.map(\.sql) + spatialTriggers.map(\.sql) }
        return statements
    }
}

/// Builds the entities of a schema from an outline with columns.
private struct StoreEntityBuilder {
    private let outline: ModelOutline
    /// The largest number of preserved attributes of an entity.
    private(set) var tombstoneCount = 0

    init(_ outline: ModelOutline) { self.outline = outline }

    mutating func entities() -> [StoreEntity] {
        var entities: [StoreEntity] = []
        var preserved: [Int] = []
        entities.reserveCapacity(outline.entities.count)
        for entity in outline.entities {
            let family = outline.family(of: entity).map(\.number)
            var result: StoreEntity
            if let parent = entity.parent {
                result = entities[parent.index]
                result.parent = parent.number
            } else {
                result = StoreEntity(
                    name: entity.name, number: entity.number, parent: 0, root: entity.number, isAbstract: false,
                    table: entity.table, family: family, attributes: [], toOnes: [], toManys: [], uniqueColumns: [])
            }
            result.name = entity.name
            result.number = entity.number
            result.isAbstract = entity.entity.isAbstract
            result.family = family
            for cell in entity.cells { add(cell, to: &result) }
            result.toManys += entity.toManys.compactMap(toMany)
            result.uniqueColumns += entity.constraints.map(\.columns)
            entities.append(result)
            preserved.append(
                (entity.parent.map { preserved[$0.index] } ?? 0)
                    + entity.cells.filter { $0.attribute?.isPreserved == true }.count)
        }
        tombstoneCount = preserved.max() ?? 0
        return entities
    }

    private func add(_ cell: EntityOutline.Cell, to entity: inout StoreEntity) {
        guard let column = cell.column else { return }
        if let attribute = cell.attribute {
            entity.attributes.append(
                StoredAttribute(
                    path: cell.path, column: column, type: attribute.type, isRequired: cell.isRequired,
                    isDerived: attribute.derivation != nil, allowsExternalFiles: attribute.allowsExternalFiles,
                    valueTransformerName: attribute.valueTransformerName, valueClassName: attribute.valueClassName,
                    defaultValue: attribute.defaultValue))
        } else if let relationship = cell.relationship, let destination = relationship.destination {
            entity.toOnes.append(
                StoredToOne(
                    name: relationship.name, column: column, entityColumn: cell.entityColumn,
                    orderColumn: cell.orderColumn, destination: destination.number, inverse: relationship.inverseName,
                    isInverseToMany: relationship.inverse?.isToMany ?? false,
                    isRequired: cell.isRequired))
        }
    }

    private func toMany(_ relationship: RelationshipOutline) -> StoredToMany? {
        guard let place = relationship.place, let destination = relationship.destination else { return nil }
        return StoredToMany(
            name: relationship.name, place: place, isOrdered: relationship.isOrdered, destination: destination.number,
            inverse: relationship.inverseName, isOwnInverse: relationship.inverse === relationship,
            minCount: relationship.minCount, maxCount: relationship.maxCount, isRequired: relationship.isRequired)
    }
}
