import CoreDataSQLQueries
import CoreDataRowStorage
import CoreDataRuntimeSupport
import ModelFormat

/// The schema of a model in an SQLite file: the tables, columns and indexes with the names that Core Data gives them.
///
/// Names of tables and columns need no quotes in statements; those of the model's indexes are quoted by
/// ``SQLName/quoted(_:)``.
///
/// Derived from the model alone. ``ActualSchema`` then adapts it to an existing file, before the schema is copied or used to
/// look up to-many relationships, because copies share the columns.
package struct SQLSchema: Sendable {
    package struct Column: Sendable, Hashable {
        package var name: String
        var type: ColumnType
    }

    /// A table, which holds all entities of an inheritance hierarchy.
    package final class Table: Sendable {
        package let name: String
        /// The number of the root entity.
        package let root: Int
        /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in Core Data's order.
        package let columns: [Column]
        let hasSubentities: Bool

        init(name: String, root: Int, columns: [Column], hasSubentities: Bool) {
            self.name = name
            self.root = root
            self.columns = columns
            self.hasSubentities = hasSubentities
        }
    }

    package var tables: [Table] = []
    package var joins: [JoinTable] = []
    package let numbering: EntityNumbering
    let layouts: ModelLayouts
    /// The columns of entities, by number.
    package private(set) var entities: ObjectTable<Int, EntityColumns>
    /// The columns of to-many relationships without an inverse, by number of the declaring entity and name.
    var ownedKeys: [RelationshipName: OwnedKey] = [:]

    /// The join tables in files of old frameworks, which have no key that prevents duplicate pairs.
    var keylessJoins: Set<String> = []

    /// The name of a relationship, with the entity that declares it.
    package struct RelationshipName: Hashable, Sendable {
        package var entity: Int
        package var name: String

        package init(entity: Int, name: String) {
            self.entity = entity
            self.name = name
        }
    }

    /// The columns in the destination's table for a to-many relationship without an inverse.
    package struct OwnedKey: Sendable {
        package var table: String
        package var column: String
        package var order: String?
    }

    /// Derives the schema of a model.
    ///
    /// - Parameter numbering: the entity numbers that become parts of names; in a new file, the model's.
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` for a model with a name that cannot be part of one in SQL.
    package init(_ layouts: ModelLayouts, numbering: EntityNumbering) throws {
        try SQLName.check(layouts)
        self.numbering = numbering
        self.layouts = layouts
        entities = ObjectTable(minimumCapacity: layouts.byNumber.count)
        let owners = Self.owners(layouts)
        for root in layouts.all where root.isRoot { addTable(root, layouts, owners) }
        joins = JoinTable.all(in: layouts, numbering: numbering)
    }

    // MARK: Tables

    /// A to-many relationship without an inverse, and the number of the entity that declares it.
    private typealias Owner = (entity: Int, relationship: EntityLayout.Relationship)

    /// Returns the to-many relationships without an inverse, by the number of the entity with the table that holds their
    /// columns.
    private static func owners(_ layouts: ModelLayouts) -> [Int: [Owner]] {
        var owners: [Int: [Owner]] = [:]
        for layout in layouts.all {
            let owned = layout.ownRelationships.filter {
                $0.isToMany && $0.inverse == nil && !$0.isTransient
            }
            for relationship in owned.sorted(byText: \.name, .literal) {
                owners[relationship.destinationNumber, default: []].append((layout.number, relationship))
            }
        }
        return owners
    }

    private mutating func addTable(_ root: EntityLayout, _ layouts: ModelLayouts, _ owners: [Int: [Owner]]) {
        let name = "Z" + root.name.uppercased()
        let family = root.familyNumbers.compactMap { layouts.byNumber[$0] }
        var naming = ColumnNaming(count: family.reduce(0) { $0 + $1.ownCells.count })
        // Cells are large, so their indices are sorted and passed on.
        let ordered = family.map { layout in
            layout.ownCells.indices.sorted { ColumnNaming.precedes(layout.ownCells[$0], layout.ownCells[$1]) }
        }
        for (layout, cells) in zip(family, ordered) {
            let columns = EntityColumns(
                table: name, layout: layout, inherited: layout.superlayout.flatMap { entities[$0.number] })
            columns.own.reserveCapacity(layout.ownCells.count)
            for index in layout.ownCells.indices {
                let isExternal = layout.ownCells[index].traits.contains(.external)
                columns.own.append(CellColumns(isExternal: isExternal))
            }
            for index in cells {
                columns.own[index].name(layout.ownCells[index], of: layout, naming: &naming, layouts, numbering)
            }
            entities[layout.number] = columns
        }
        var columns: [Column] = []
        for (layout, cells) in zip(family, ordered) {
            addIntegers(of: layout, cells, owners[layout.number] ?? [], to: &columns)
        }
        for (layout, cells) in zip(family, ordered) {
            for index in cells {
                if let order = entities[layout.number]?.own[index].order {
                    columns.append(Column(name: order, type: .integer))
                }
            }
        }
        for rank in 2...8 {
            for (layout, cells) in zip(family, ordered) {
                for index in cells {
                    let kind = layout.ownCells[index].kind
                    guard kind.columnRank == rank, let name = entities[layout.number]?.own[index].column,
                        let type = ColumnType(kind)
                    else { continue }
                    columns.append(Column(name: name, type: type))
                }
            }
        }
        tables.append(Table(name: name, root: root.number, columns: columns, hasSubentities: family.count > 1))
    }

    private mutating func addIntegers(
        of layout: EntityLayout, _ ordered: [Int], _ owners: [Owner], to columns: inout [Column]
    ) {
        guard let mapping = entities[layout.number] else { return }
        let cells = layout.ownCells
        for index in ordered where cells[index].kind.columnRank == 0 && cells[index].kind != .reference {
            if let name = mapping.own[index].column { columns.append(Column(name: name, type: .integer)) }
        }
        for index in ordered where cells[index].kind == .reference {
            guard let name = mapping.own[index].column else { continue }
            columns.append(Column(name: name, type: .integer))
            if let entity = mapping.own[index].entityColumn {
                columns.append(Column(name: entity, type: .integer))
            }
        }
        for (entity, relationship) in owners {
            let name = "\(numbering.inFile[entity])\(relationship.name.uppercased())"
            let key = OwnedKey(
                table: mapping.table, column: "Z" + name, order: relationship.isOrdered ? "Z_FOK_" + name : nil)
            ownedKeys[RelationshipName(entity: entity, name: relationship.name)] = key
            columns.append(Column(name: key.column, type: .integer))
            if let order = key.order { columns.append(Column(name: order, type: .integer)) }
        }
    }

    // MARK: To-many relationships

    /// Returns the columns of a to-many relationship; nil for a to-one relationship, for a transient one, and if the inverse
    /// that would hold the column is transient.
    package func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns? {
        guard relationship.isToMany, let columns = entities[layout.number] else { return nil }
        // Entities of another model must not be stored in this model's cache.
        guard layouts.byNumber[layout.number] === layout else { return place(of: relationship, in: layout) }
        let places = columns.toMany.value {
            ToManyPlaces(layout.relationships.map { $0.isToMany ? place(of: $0, in: layout) : nil })
        }
        return places.byRelationship[relationship.index]
    }

    private func place(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns? {
        guard !relationship.isTransient else { return nil }
        let declaring = layout.declaring(relationship.name)
        let name = RelationshipName(entity: declaring.number, name: relationship.name)
        guard let destination = layouts.byNumber[relationship.destinationNumber] else { return nil }
        guard let inverse = relationship.inverse else {
            return ownedKeys[name].map { .owned(table: $0.table, column: $0.column, order: $0.order) }
        }
        if inverse.isToMany {
            return joins.lazy.compactMap { $0.columns(for: name) }.first
        }
        guard case .cell(let cell)? = destination.members[inverse.name], let mapping = entities[destination.number],
            let column = mapping.cells[cell].column
        else { return nil }
        return .foreignKey(
            table: mapping.table, column: column, entityColumn: mapping.cells[cell].entityColumn,
            order: mapping.cells[cell].order)
    }
}

extension CellColumns {
    mutating func name(
        _ cell: EntityLayout.Cell, of layout: EntityLayout, naming: inout ColumnNaming, _ layouts: ModelLayouts,
        _ numbering: EntityNumbering
    ) {
        guard !cell.isTransient, ColumnType(cell.kind) != nil else { return }
        let base = naming.unique((cell.elementPath.last ?? cell.name).uppercased())
        column = "Z" + base
        guard cell.kind == .reference else { return }
        let first = layout.relationshipCount - layout.ownRelationships.count
        let relationship = layout.ownRelationships[cell.relationshipIndex - first]
        guard let target = layouts.byNumber[relationship.destinationNumber] else { return }
        if target.familyNumbers.count > 1 { entityColumn = "Z\(numbering.inFile[target.number])_\(base)" }
        if let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered, !inverse.isTransient {
            order = "Z_FOK_" + base
        }
    }
}

/// Assigns unique names to the columns of a table: the first property with a name keeps it, later ones get a number.
struct ColumnNaming {
    /// The names in use, including `Z_PK`, `Z_ENT` and `Z_OPT`.
    private var used: NameSet

    /// Creates the naming of a table.
    ///
    /// - Parameter count: the expected number of names.
    init(count: Int) {
        used = NameSet(minimumCapacity: count + 3)
        for name in ["_PK", "_ENT", "_OPT"] { _ = used.insert(name) }
    }

    mutating func unique(_ base: String) -> String {
        var name = base
        var suffix = 0
        while !used.insert(name) {
            suffix += 1
            name = base + String(suffix)
        }
        return name
    }

    /// Returns true if Core Data places the first column before the second, both of one kind: by property name,
    /// case-sensitively. Elements take the place of their composite attribute, in declared order.
    static func precedes(_ left: EntityLayout.Cell, _ right: EntityLayout.Cell) -> Bool {
        let (a, b) = (left.compositeName ?? left.name, right.compositeName ?? right.name)
        return a == b ? left.index < right.index : literallyPrecedes(a, b)
    }
}

extension EntityLayout {
    /// Returns the entity in the hierarchy that introduces a property of this entity.
    package func declaring(_ name: String) -> EntityLayout {
        var layout = self
        while !layout.adds(name), let superlayout = layout.superlayout { layout = superlayout }
        return layout
    }
}
