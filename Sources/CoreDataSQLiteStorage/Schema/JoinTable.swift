import CoreDataSQLQueries
import CoreDataRowStorage
import ModelFormat

/// The table of a many-to-many relationship and its inverse.
package struct JoinTable: Sendable {
    package var name: String
    /// The side that names the table.
    package var first: SQLSchema.RelationshipName
    package var second: SQLSchema.RelationshipName
    /// Holds keys of the first side's objects; named after the second relationship. As statements have it, like the other columns.
    package var firstColumn: String
    /// Holds keys of the second side's objects.
    package var secondColumn: String
    /// Position of the first side's objects in the second relationship, if that is ordered.
    var firstOrder: String?
    var secondOrder: String?
    /// Number of the root entity whose table it follows in a new file.
    var root: Int
    /// Whether one side is transient: files without the table then open as well.
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

    /// Every join table a model needs, in the order of the entities that name them.
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

    /// The many-to-many relationships a layout declares, with their inverses, by name.
    private static func pairs(
        of layout: EntityLayout, _ layouts: ModelLayouts
    ) -> [(SQLSchema.RelationshipName, SQLSchema.RelationshipName)] {
        layout.ownRelationships.sorted(byText: \.name, .literal).compactMap { relationship in
            guard relationship.isToMany, let inverse = relationship.inverse, inverse.isToMany,
                // Without a side that is kept there is nothing to keep.
                !relationship.isTransient || !inverse.isTransient,
                let destination = layouts.byNumber[relationship.destinationNumber]
            else { return nil }
            return (
                SQLSchema.RelationshipName(entity: layout.number, name: relationship.name),
                SQLSchema.RelationshipName(entity: destination.declaring(inverse.name).number, name: inverse.name)
            )
        }
    }

    /// Which side gives the table its name: the one with subentities if the other has none, else the lower number.
    ///
    /// Between two relationships of one entity Apple's choice follows no rule that its files would show; an existing
    /// file tells by its tables which it was.
    private static func namesTable(
        _ own: SQLSchema.RelationshipName, over other: SQLSchema.RelationshipName, _ layouts: ModelLayouts
    ) -> Bool {
        if own.entity == other.entity { return own == other || literallyPrecedes(other.name, own.name) }
        let ownHasSubentities = (layouts.byNumber[own.entity]?.familyNumbers.count ?? 0) > 1
        let otherHasSubentities = (layouts.byNumber[other.entity]?.familyNumbers.count ?? 0) > 1
        if ownHasSubentities != otherHasSubentities { return ownHasSubentities }
        return own.entity < other.entity
    }

    /// Names of join columns: the number of the entity whose keys a column holds and the relationship that leads there.
    /// Distinct among all join tables of an entity.
    private struct ColumnNames {
        let numbering: EntityNumbering
        private var byRelationship: [SQLSchema.RelationshipName: String] = [:]
        private var used: Set<String> = []

        /// Names the column that holds keys of the objects that have the relationship `own`.
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
