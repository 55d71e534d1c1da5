import CoreDataSQLQueries
import CoreDataRowStorage
import ModelFormat

/// The table of a many-to-many relationship and its inverse.
package struct JoinTable: Sendable {
    package var name: String
    /// The side after which the table is named.
    package var first: SQLSchema.RelationshipName
    package var second: SQLSchema.RelationshipName
    /// The column of the first side's keys, named after the second relationship. Quoted for statements, like the other
    /// columns.
    package var firstColumn: String
    /// The column of the second side's keys.
    package var secondColumn: String
    /// The column of the first side's order keys in the second relationship, if that is ordered.
    var firstOrder: String?
    var secondOrder: String?
    /// The number of the root entity. In a new file, the table follows that entity's table.
    var root: Int
    /// Whether one side is transient: the table may then be missing in a file.
    let isHalfTransient: Bool

    package var isReflexive: Bool { first == second }

    func columns(for relationship: SQLSchema.RelationshipName) -> ToManyColumns? {
        if relationship == first {
            return .join(
                table: name, source: firstColumn, target: secondColumn, order: secondOrder, sourceOrder: firstOrder,
                isReflexive: isReflexive)
        }
        guard relationship == second else { return nil }
        return .join(
            table: name, source: secondColumn, target: firstColumn, order: firstOrder, sourceOrder: secondOrder,
            isReflexive: false)
    }

    // MARK: Naming

    /// Returns all join tables of a model, in the order of the entities after which they are named.
    static func all(in layouts: ModelLayouts, numbering: EntityNumbering) -> [JoinTable] {
        var names = ColumnNames(numbering: numbering)
        for layout in layouts.all {
            for (own, other) in pairs(of: layout, layouts) { names.add(own, inverse: other) }
        }
        var tables: [JoinTable] = []
        for layout in layouts.all {
            for (own, other) in pairs(of: layout, layouts) {
                guard namesTable(own, over: other, layouts) else { continue }
                tables.append(JoinTable(own, other, names: names, layouts))
            }
        }
        return tables
    }

    private init(
        _ own: SQLSchema.RelationshipName, _ other: SQLSchema.RelationshipName, names: ColumnNames,
        _ layouts: ModelLayouts
    ) {
        func find(_ relationship: SQLSchema.RelationshipName) -> EntityLayout.Relationship? {
            layouts.byNumber[relationship.entity]?.relationships.first { $0.name == relationship.name }
        }
        func isTransient(_ relationship: SQLSchema.RelationshipName) -> Bool {
            find(relationship)?.isTransient ?? false
        }
        func isOrdered(_ relationship: SQLSchema.RelationshipName) -> Bool {
            find(relationship)?.isOrdered ?? false && !isTransient(relationship)
        }
        first = own
        second = other
        isHalfTransient = isTransient(own) || isTransient(other)
        name = "Z_\(names.numbering.inFile[own.entity])\(own.name.uppercased())"
        root = layouts.byNumber[own.entity]?.root.number ?? own.entity
        firstColumn = names[own]
        secondColumn = own == other ? "REFLEXIVE" : names[other]
        firstOrder = own != other && isOrdered(other) ? Self.orderColumn(of: firstColumn) : nil
        secondOrder = isOrdered(own) ? Self.orderColumn(of: secondColumn) : nil
    }

    static func orderColumn(of column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)
    }

    /// Returns the many-to-many relationships that a layout declares, with their inverses, by name.
    private static func pairs(
        of layout: EntityLayout, _ layouts: ModelLayouts
    ) -> [(SQLSchema.RelationshipName, SQLSchema.RelationshipName)] {
        layout.ownRelationships.sorted(byText: \.name, .literal).compactMap { relationship in
            guard relationship.isToMany, let inverse = relationship.inverse, inverse.isToMany,
                // If both sides are transient, there is nothing to store.
                !relationship.isTransient || !inverse.isTransient,
                let destination = layouts.byNumber[relationship.destinationNumber]
            else { return nil }
            return (
                SQLSchema.RelationshipName(entity: layout.number, name: relationship.name),
                SQLSchema.RelationshipName(entity: destination.declaring(inverse.name).number, name: inverse.name)
            )
        }
    }

    /// Returns true if the table is named after the first side: the side with subentities if the other has none, else the
    /// lower number.
    ///
    /// Between two relationships of one entity, Apple's files show no rule; an existing file shows its choice by the names of
    /// its tables.
    private static func namesTable(
        _ own: SQLSchema.RelationshipName, over other: SQLSchema.RelationshipName, _ layouts: ModelLayouts
    ) -> Bool {
        if own.entity == other.entity { return own == other || literallyPrecedes(other.name, own.name) }
        let ownHasSubentities = (layouts.byNumber[own.entity]?.familyNumbers.count ?? 0) > 1
        let otherHasSubentities = (layouts.byNumber[other.entity]?.familyNumbers.count ?? 0) > 1
        if ownHasSubentities != otherHasSubentities { return ownHasSubentities }
        return own.entity < other.entity
    }

    /// The names of join columns: the number of the entity that the keys belong to and the relationship with that
    /// destination. Unique among all join tables of an entity.
    private struct ColumnNames {
        let numbering: EntityNumbering
        private var byRelationship: [SQLSchema.RelationshipName: String] = [:]
        private var used: Set<String> = []

        /// Names the column that holds the keys of objects with the relationship `own`.
        mutating func add(_ own: SQLSchema.RelationshipName, inverse: SQLSchema.RelationshipName) {
            let base = "Z_\(numbering.inFile[own.entity])\(inverse.name.uppercased())"
            var name = base
            var suffix = 0
            while !used.insert(name).inserted {
                suffix += 1
                name = base + String(suffix)
            }
            byRelationship[own] = name
        }

        init(numbering: EntityNumbering) { self.numbering = numbering }

        subscript(own: SQLSchema.RelationshipName) -> String { byRelationship[own] ?? "" }
    }
}
