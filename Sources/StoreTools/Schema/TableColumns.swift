import ModelFormat

/// The tables of entities, and the columns of their properties.
struct TableColumns {
    private(set) var tables: [EntityTable] = []
    /// The columns of to-many relationships without an inverse, by table.
    private(set) var ownerColumns: [String: [String]] = [:]

    /// Assigns columns to all cells of an outline with entity numbers, and to its to-many relationships without an inverse.
    init(_ outline: ModelOutline) {
        // These relationships, by the position of the entity with the table that holds their columns.
        var owners: [Int: [RelationshipOutline]] = [:]
        for entity in outline.entities {
            let own = entity.toManys.filter { !$0.isTransient && $0.inverse == nil }
            for relationship in own.sorted(byText: \.name, .literal) {
                if let destination = relationship.destination {
                    owners[destination.index, default: []].append(relationship)
                }
            }
        }
        for root in outline.entities where root.isRoot { addTable(root, outline, owners) }
    }

    private mutating func addTable(
        _ root: EntityOutline, _ outline: ModelOutline, _ owners: [Int: [RelationshipOutline]]
    ) {
        let family = outline.family(of: root)
        // Core Data places columns of one kind by property name; elements take the place of their composite attribute.
        let ordered = family.map {
            $0.cells.filter { $0.kind != nil && !$0.isTransient }.sorted(byText: \.name, .literal)
        }
        var naming = UniqueNames(taken: ["_PK", "_ENT", "_OPT"])
        for cells in ordered {
            for cell in cells { Self.name(cell, &naming) }
        }
        var columns = [
            StoreColumn(name: "Z_PK", declaredType: "INTEGER"), StoreColumn(name: "Z_ENT", declaredType: "INTEGER"),
            StoreColumn(name: "Z_OPT", declaredType: "INTEGER"),
        ]
        func add(_ name: String?, _ kind: ColumnKind = .integer) {
            if let name { columns.append(StoreColumn(name: name, declaredType: kind.declaredType)) }
        }
        for (entity, cells) in zip(family, ordered) {
            for cell in cells where cell.kind == .integer { add(cell.column) }
            for cell in cells where cell.kind == .reference {
                add(cell.column)
                add(cell.entityColumn)
            }
            for owner in owners[entity.index] ?? [] {
                let name = "\(owner.owner.number)\(owner.name.uppercased())"
                owner.ownedColumn = "Z" + name
                owner.ownedOrder = owner.isOrdered ? "Z_FOK_" + name : nil
                ownerColumns[root.table, default: []].append("Z" + name)
                add(owner.ownedColumn)
                add(owner.ownedOrder)
            }
        }
        for cells in ordered {
            for cell in cells { add(cell.orderColumn) }
        }
        for rank in ColumnKind.real.rawValue...ColumnKind.data.rawValue {
            for cells in ordered {
                for cell in cells {
                    if let kind = cell.kind, kind.rank == rank { add(cell.column, kind) }
                }
            }
        }
        tables.append(
            EntityTable(
                name: root.table, root: root.number, columns: columns, family: family.map(\.number),
                sql: Self.creation(root.table, columns)))
    }

    private static func name(_ cell: EntityOutline.Cell, _ naming: inout UniqueNames) {
        let base = naming.unique(cell.lastName.uppercased())
        cell.column = "Z" + base
        guard let relationship = cell.relationship, let target = relationship.destination else { return }
        if target.hasSubentities { cell.entityColumn = "Z\(target.number)_\(base)" }
        if let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered,
            !inverse.isTransient
        {
            cell.orderColumn = "Z_FOK_" + base
        }
    }

    private static func creation(_ table: String, _ columns: [StoreColumn]) -> String {
        var text = "CREATE TABLE \(table) ( Z_PK INTEGER PRIMARY KEY"
        for column in columns.dropFirst() {
            text += ", "
            text += column.name
            text += " "
            text += column.declaredType
        }
        return text + " )"
    }
}
