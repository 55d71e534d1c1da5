import CoreDataSQLQueries
import CoreDataRowStorage

/// The statements that create the file, with Core Data's definitions in Core Data's order.
extension SQLSchema {
    static let primaryKeyTable =
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
    static let metadataTable =
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
    package static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    /// Returns all statements for a new file: each entity table followed by its join tables, indexes, triggers, system
    /// tables.
    package func creationStatements(_ layouts: ModelLayouts) throws -> [String] {
        var statements: [String] = []
        for table in tables {
            statements.append(table.creation)
            statements += joins.filter { $0.root == table.root }.map(\.creation)
        }
        statements += indexes(layouts).map(\.creation)
        statements += try DerivedTriggers(self, layouts).all().filter(\.isPersistent).map(\.creation)
        return statements + [Self.primaryKeyTable, Self.metadataTable, Self.modelCacheTable]
    }

    package struct Index: Sendable {
        /// The name, as it is in the file.
        package var name: String
        package var table: String
        var isUnique = false
        /// The indexed columns: the text between the parentheses.
        var columns: String
        /// The condition of a partial index.
        var condition: String?

        package var creation: String { creation(ifMissing: false) }

        func creation(ifMissing: Bool) -> String {
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(ifMissing ? "IF NOT EXISTS " : "")\(SQLName.quoted(name)) ON \(table) "
                + "(\(columns))"
                + (condition.map { " WHERE \($0)" } ?? "")
        }
    }

    /// Returns the automatic indexes, those of the model and those of uniqueness constraints, table by table.
    package func indexes(_ layouts: ModelLayouts) -> [Index] { tables.flatMap { indexes(of: $0, layouts) } }

    private func indexes(of table: Table, _ layouts: ModelLayouts) -> [Index] {
        let family = layouts.family(of: table.root).compactMap { layouts.byNumber[$0] }
        return automaticIndexes(of: table, family) + family.flatMap { fetchIndexes(of: $0) }
            + family.flatMap { constraints(of: $0).map(\.index) }
    }

    private func automaticIndexes(of table: Table, _ family: [EntityLayout]) -> [Index] {
        var keys: Set<String> = Set(ownedKeys.values.filter { $0.table == table.name }.map(\.column))
        for layout in family {
            for cell in layout.ownCells where cell.kind == .reference {
                if let column = entities[layout.number]?[cell.index].column { keys.insert(column) }
            }
        }
        var indexes = table.columns.filter { keys.contains($0.name) }.map {
            Index(name: "\(table.name)_\($0.name)_INDEX", table: table.name, columns: $0.name)
        }
        if table.hasSubentities {
            indexes.append(Index(name: "\(table.name)_Z_ENT_INDEX", table: table.name, columns: "Z_ENT"))
        }
        return indexes
            + joins.filter { $0.root == table.root }.map {
                Index(
                    name: "\($0.name)_\($0.secondColumn)_INDEX", table: $0.name,
                    columns: "\($0.secondColumn), \($0.firstColumn)")
            }
    }

    /// Returns the indexes that an entity declares. An attribute with the older "indexed" flag, which Apple's model compiler
    /// also sets for every plain one-attribute index, has another index named after it, and so have the older compound
    /// indexes.
    func fetchIndexes(of layout: EntityLayout) -> [Index] {
        let model = layout.traits.declaredIndexes
        let declared = model.compactMap { self.index($0, of: layout) }
        let names = Set(declared.map(\.name))
        let plain = Set(
            model.compactMap { index -> String? in
                guard index.elements.count == 1, index.condition == nil, index.elements[0].isAscending,
                    !index.elements[0].isSpatial
                else { return nil }
                return index.elements[0].name
            })
        return layout.ownCells.compactMap { cell in
            guard cell.traits.contains(.attribute), cell.compositeName == nil,
                cell.traits.contains(.indexed) || plain.contains(cell.name), let columns = entities[layout.number],
                let column = columns[cell.index].column
            else { return nil }
            let name = "Z_\(layout.name)_\(cell.name)"
            return names.contains(name)
                ? nil : Index(name: name, table: columns.table, columns: "\(column) COLLATE BINARY ASC")
        } + declared + compoundIndexes(of: layout, besides: model).filter { !names.contains($0.name) }
    }

    /// Returns the older compound indexes, except those that mirror a declared index in compiled models, where expressions
    /// are named like properties.
    private func compoundIndexes(of layout: EntityLayout, besides indexes: [IndexTraits]) -> [Index] {
        let declared = Set(indexes.map { $0.elements.map(\.name) })
        return layout.traits.compoundIndexPaths.compactMap { properties in
            guard !declared.contains(properties) else { return nil }
            let parts = properties.map { self.columns(at: $0, in: layout) }
            guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty }), let table = entities[layout.number]?.table else {
                return nil
            }
            let columns = parts.flatMap { $0 }
            return Index(
                name: "Z_\(layout.name)_\(properties.joined(separator: "_"))", table: table,
                columns: columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", "))
        }
    }

    /// Returns an index that the entity declares; nil for an index of a relationship alone, and for a spatial one.
    private func index(_ index: IndexTraits, of layout: EntityLayout) -> Index? {
        if index.elements.count == 1, case .relationship = index.elements[0].subject { return nil }
        var columns: [String] = []
        for element in index.elements where !element.isSpatial {
            let found = indexColumns(of: element, in: layout)
            if found.isEmpty { return nil }
            columns += found.map { "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")" }
        }
        guard !columns.isEmpty, let table = entities[layout.number]?.table else { return nil }
        // If the condition has no SQL form, a full index serves as well.
        let condition = index.condition.flatMap { try? IndexCondition.sql($0, columns: self, layout: layout) }
        return Index(
            name: "Z_\(layout.name)_\(index.name)", table: table, columns: columns.joined(separator: ", "),
            condition: condition)
    }

    /// Returns true if the model declares a full index that begins with an attribute of an entity with an unshared table. The
    /// file may lack it: adding an index to the model requires no migration.
    func wantsIndex(led cell: EntityLayout.Cell, of layout: EntityLayout) -> Bool {
        guard cell.traits.contains(.attribute), cell.compositeName == nil else { return false }
        if cell.traits.contains(.indexed) { return true }
        for index in layout.traits.declaredIndexes where index.condition == nil {
            let elements = index.elements.filter { !$0.isSpatial }
            if elements.first?.name == cell.name,
                elements.allSatisfy({ !indexColumns(of: $0, in: layout).isEmpty })
            {
                return true
            }
        }
        return constraints(of: layout).contains { $0.attributes.first == cell.name && $0.wholes.isEmpty }
    }

    private func indexColumns(of element: IndexTraits.Element, in layout: EntityLayout) -> [String] {
        switch element.subject {
        case .expression("SELF", _), .expression("self", _): ["Z_PK"]
        case .expression("entity", _): ["Z_ENT"]
        case .expression(let path, _), .attribute(let path), .relationship(let path): columns(at: path, in: layout)
        }
    }

    /// Returns the column of an attribute, to-one relationship or element of a composite (`address.city`); nil for a
    /// composite.
    func column(at path: String, in layout: EntityLayout) -> String? {
        guard let mapping = entities[layout.number] else { return nil }
        if case .cell(let index)? = layout.members[path] { return mapping[index].column }
        return layout.elements(at: path).first { $0.path == path }.flatMap { mapping[$0.index].column }
    }

    /// Returns that column, or the columns of all elements of a composite attribute; empty if there is no such path.
    func columns(at path: String, in layout: EntityLayout) -> [String] {
        if let column = column(at: path, in: layout) { return [column] }
        guard let mapping = entities[layout.number] else { return [] }
        let columns = layout.elements(at: path).map { mapping[$0.index].column }
        return columns.contains(nil) ? [] : columns.compactMap { $0 }
    }
}

extension SQLSchema.Table {
    package var creation: String {
        var text = "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
        for column in columns {
            text += ", "
            text += column.name
            text += " "
            text += column.type.rawValue
        }
        return text + " )"
    }
}

extension JoinTable {
    package var creation: String {
        let orders = [firstOrder, secondOrder].compactMap { $0 }.map { ", \($0) INTEGER" }.joined()
        return "CREATE TABLE \(name) ( \(firstColumn) INTEGER, \(secondColumn) INTEGER\(orders), "
            + "PRIMARY KEY (\(firstColumn), \(secondColumn)) )"
    }
}
