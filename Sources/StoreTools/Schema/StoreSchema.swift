/// The tables and columns of a store: how each entity and property of a model is stored in one file.
///
/// Derived from a model, and adapted to the names and entity numbers of an existing file.
package struct StoreSchema: Sendable {
    /// The entities, in the order of their numbers in the file.
    package var entities: [StoreEntity]
    /// The tables of root entities, in the order of a new file.
    package var tables: [EntityTable]
    /// The tables of many-to-many relationships.
    package var joins: [JoinTable]
    /// The indexes that a new file gets.
    package var indexes: [SchemaStatement]
    /// The triggers of derived attributes that a new file gets.
    package var triggers: [SchemaStatement]
    /// The virtual tables of spatial indexes, with the names of indexes and not of entities.
    package var spatialTables: [SchemaStatement]
    /// The triggers that keep the spatial tables up to date.
    package var spatialTriggers: [SchemaStatement]
    /// The indexes that are missing from `indexes`, one sentence for each: partial ones with a condition that has no SQL form
    /// here.
    package var omitted: [String]
    /// The number of columns of `ACHANGE` that preserve values of deleted objects.
    package var tombstoneCount: Int

    /// Returns an entity by its number in the file.
    package func entity(_ number: Int) -> StoreEntity? { byNumber[number].map { entities[$0] } }
    /// Returns an entity by its name.
    package func entity(named name: String) -> StoreEntity? { byName[name].map { entities[$0] } }

    private var byNumber: [Int: Int]
    private var byName: [String: Int]

    init(
        entities: [StoreEntity], tables: [EntityTable], joins: [JoinTable], indexes: [SchemaStatement],
        triggers: [SchemaStatement], spatial: SpatialStatements, omitted: [String], tombstoneCount: Int
    ) {
        self.entities = entities
        self.tables = tables
        self.joins = joins
        self.indexes = indexes
        self.triggers = triggers
        spatialTables = spatial.tables
        spatialTriggers = spatial.triggers
        self.omitted = omitted
        self.tombstoneCount = tombstoneCount
        byNumber = Dictionary(
            entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        byName = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A statement that creates a table, an index or a trigger.
package struct SchemaStatement: Sendable, Hashable {
    package var name: String
    package var table: String
    package var sql: String
}

/// A column, with the type with which Core Data declares it.
package struct StoreColumn: Sendable, Hashable {
    package var name: String
    package var declaredType: String
}

/// The table of a root entity and its subentities.
package struct EntityTable: Sendable {
    package var name: String
    /// The number of the root entity.
    package var root: Int
    /// The columns, from `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of a new file.
    package var columns: [StoreColumn]
    /// The numbers of all entities of the hierarchy.
    package var family: [Int]
    /// The statement that creates the table.
    package var sql: String
}

/// The table of a many-to-many relationship and its inverse.
package struct JoinTable: Sendable {
    package struct Side: Sendable {
        /// The number of the entity that declares the relationship.
        package var entity: Int
        package var relationship: String
        /// The column of this entity's keys.
        package var column: String
        /// The column of the positions of this side's objects in the other side's relationship, if that is ordered.
        package var order: String?
    }

    package var name: String
    package var first: Side
    package var second: Side
    /// True if the relationship is its own inverse.
    package var isReflexive: Bool
    package var columns: [StoreColumn]
    package var sql: String
}

/// An entity as a file stores it, with everything that it inherits.
package struct StoreEntity: Sendable {
    package var name: String
    /// The entity's number in the file (`Z_ENT`).
    package var number: Int
    /// The number of the parent entity; 0 for a root.
    package var parent: Int
    /// The number of the root entity.
    package var root: Int
    package var isAbstract: Bool
    package var table: String
    /// The numbers of the entity and of all its subentities.
    package var family: [Int]
    package var attributes: [StoredAttribute]
    package var toOnes: [StoredToOne]
    package var toManys: [StoredToMany]
    /// The columns of each uniqueness constraint, inherited ones included.
    package var uniqueColumns: [[String]]
}
