import CoreDataRowStorage

/// The statements that create the tables of a model in PostgreSQL, readable in `psql`.
///
/// Foreign keys are checked when a transaction commits, so that the order of a save's statements does not matter; so are the
/// model's uniqueness constraints, so that two objects may swap their values.
package struct PostgreSQLSchema {
    let tables: PostgreSQLTables
    var layouts: ModelLayouts { tables.layouts }
    /// The names in use, those of uniqueness constraints included.
    private var names: PostgreSQLNames
    /// The names of uniqueness constraints by table and columns. Subentities may repeat a constraint.
    private(set) var constraintNames: [ConstraintKey: String] = [:]

    struct ConstraintKey: Hashable {
        let table: String
        let columns: [[String]]
    }

    package init(_ tables: PostgreSQLTables) {
        self.tables = tables
        names = tables.names
        for layout in layouts.all {
            guard let table = try? tables.columns(of: layout).table else { continue }
            for paths in layout.traits.constraintPaths where !paths.isEmpty {
                let key = ConstraintKey(table: table, columns: paths.map { columns(at: $0, in: layout) })
                guard constraintNames[key] == nil, key.columns.allSatisfy({ !$0.isEmpty }) else { continue }
                constraintNames[key] = names.relation("\(key.columns.joined().joined(separator: "_"))_key", of: table)
            }
        }
    }

    /// A part of the schema: its name and the statement that creates it.
    package struct Part: Hashable, Sendable {
        package enum Kind: Sendable { case sequence, table, owner, foreignKey, unique, index, function }
        package let kind: Kind
        /// The name, qualified as that of its table.
        package let name: String
        package let sql: String
        /// The entities or the relationship of a table, for people.
        package var subject: String?
        /// The content of a constraint or an index.
        var shape: Shape?
    }

    /// The content of a constraint or an index, for the comparison of those of two models.
    struct Shape: Hashable, Sendable {
        /// The table, and its columns in their order.
        var table: String
        var columns: [String]
        /// The table that a foreign key refers to.
        var target: String?
        /// The condition of a partial index, which contains names of columns.
        var condition: String?
        /// Everything else that does not depend on names.
        let rest: String
    }

    /// The number of keys in a block: an insert without a key, as by hand, takes one.
    package static let keysInBlock = 1000

    /// The functions that predicates and derived attributes call.
    package static let functions =
        [
            Part(kind: .function, name: FoldingFunction.name, sql: FoldingFunction.creation),
            Part(kind: .function, name: SearchFunction.name, sql: SearchFunction.creation),
            Part(kind: .function, name: DecimalFunction.name, sql: DecimalFunction.creation),
        ] + CaseFunction.allCases.map { Part(kind: .function, name: $0.name, sql: $0.sql) }

    /// Returns all parts in the order in which they can be created.
    ///
    /// - Throws: An error for a model that the database cannot store as it asks for.
    package func parts() throws -> [Part] {
        for layout in layouts.all { try check(layout) }
        let roots = layouts.all.filter(\.isRoot)
        var names = names
        var parts = Self.functions
        for root in roots {
            let table = try tables.columns(of: root).table
            let sequence = Self.sequence(of: table)
            parts.append(
                Part(
                    kind: .sequence, name: sequence,
                    sql: "CREATE SEQUENCE \(quoted(sequence)) INCREMENT BY \(Self.keysInBlock) "
                        + "MAXVALUE \(RowReference.largestKey - Int64(Self.keysInBlock))"))
            parts.append(try self.table(of: root, table))
            parts.append(
                Part(
                    kind: .owner, name: sequence, sql: "ALTER SEQUENCE \(quoted(sequence)) OWNED BY \(quoted(table)).id"
                ))
        }
        let joins = self.joins
        parts += joins.map(\.creation)
        for root in roots { parts += try foreignKeys(of: root, &names) }
        for join in joins { parts += foreignKeys(of: join, &names) }
        for root in roots { parts += try constraints(of: root) }
        for root in roots { parts += try indexes(of: root, &names) }
        for join in joins { parts.append(index(of: join, &names)) }
        return parts
    }

    /// Returns the names of the model's tables, in alphabetical order, without making the other parts.
    package func tableNames() throws -> [String] {
        let roots = try layouts.all.filter(\.isRoot).map { try tables.columns(of: $0).table }
        return (roots + joins.map(\.creation.name)).sorted()
    }

    private func check(_ layout: EntityLayout) throws {
        guard !layout.name.utf8.contains(0) else {
            throw UnsupportedQuery.make(
                "PostgreSQL has no text with U+0000, which the name of the entity \(layout.name) contains",
                advice: "Rename the entity.", entity: layout.name)
        }
        for cell in layout.ownCells where !cell.isTransient {
            let traits = layout.databaseTraits(of: cell)
            guard let type = traits.type, let usual = PostgreSQLName.type(of: cell.kind),
                type.lowercased() != usual, cell.kind != .date || !traits.keepsWholeDates
            else { continue }
            let choice = cell.kind == .date ? "\(usual), or \(DatabaseTraits.wholeDateType)" : usual
            throw UnsupportedQuery.make(
                "The attribute \(cell.path) of the entity \(layout.name) cannot have the type \(type) in PostgreSQL: "
                    + "its column is \(choice)",
                advice: "Remove postgresql.type from the attribute's user info.", entity: layout.name)
        }
    }

    /// Returns the name of the sequence of a table's keys.
    package static func sequence(of table: String) -> String { PostgreSQLName.name("id_seq", of: table) }

    // MARK: Metadata

    /// The name of the table that makes a schema a store.
    package static let metadataName = "coredata_metadata"

    /// The table of one row with the store's UUID, its metadata, its model, and the names of its tables and sequences.
    package static let metadata = Part(
        kind: .table, name: metadataName,
        sql: create(
            metadataName,
            [
                "id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1)", "store_uuid text NOT NULL",
                "metadata bytea NOT NULL",
                "model bytea", "tables text[] NOT NULL", "sequences text[] NOT NULL",
                "schema_version integer NOT NULL DEFAULT 1",
            ]))

    /// The table of the marks of saves, by which the outcome of a save is found out after its connection was lost.
    package static let marks = Part(
        kind: .table, name: "coredata_save",
        sql: create(
            "coredata_save", ["id uuid PRIMARY KEY", "saved_at timestamptz NOT NULL DEFAULT now()"]))

    func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    func family(of root: EntityLayout) -> [EntityLayout] {
        root.familyNumbers.compactMap { layouts.byNumber[$0] }
    }

    // MARK: Tables

    private func table(of root: EntityLayout, _ name: String) throws -> Part {
        var lines = [
            "id bigint \(primaryKey(of: name)) DEFAULT nextval(\(PostgreSQLName.literal(quoted(Self.sequence(of: name)))))",
            "version bigint NOT NULL DEFAULT 1",
        ]
        let family = family(of: root)
        if family.count > 1 {
            lines.append("\(Self.entityColumn) CHECK (\(entityCheck(of: root)))")
        }
        lines += try columns(of: root).map { "\(quoted($0.name)) \($0.type)\($0.isRequired ? " NOT NULL" : "")" }
        let names = family.map(\.name)
        return Part(
            kind: .table, name: name, sql: Self.create(name, lines),
            subject: names.count > 1 ? "Entities \(names.joined(separator: ", "))" : "Entity \(names[0])")
    }

    /// The column with the name of a row's entity, and its type.
    static let entityColumn = "entity text COLLATE \"C\" NOT NULL"

    /// Returns the condition of the names of a hierarchy's entities.
    func entityCheck(of root: EntityLayout) -> String {
        let names = family(of: root).filter { !$0.isAbstract }.map { PostgreSQLName.literal($0.name) }
        return names.isEmpty ? "false" : "entity IN (\(names.joined(separator: ", ")))"
    }

    /// A column of an entity's table with a property's values.
    struct Column {
        enum Role {
            /// An attribute's value or a to-one relationship's key, by the declaring entity and its slot.
            case cell(EntityLayout, Int)
            /// The order key in the ordered inverse of a to-one relationship.
            case orderOfCell(EntityLayout, Int)
            /// The owner's key, or the order key, in a to-many relationship without an inverse.
            case owned(EntityLayout, EntityLayout.Relationship)
            case orderOfOwned(EntityLayout, EntityLayout.Relationship)
        }

        let name: String
        let type: String
        var isRequired = false
        let role: Role
    }

    /// Returns the columns of a hierarchy's properties in their order.
    func columns(of root: EntityLayout) throws -> [Column] {
        var result: [Column] = []
        for layout in family(of: root) {
            for (cell, place) in zip(layout.ownCells, try tables.columns(of: layout).own) {
                guard let column = place.column, let type = columnType(cell.kind, place) else { continue }
                // Rows of subentities share the table, and relationships are cleared when their destinations are deleted.
                let isRequired = cell.requiresValue && cell.compositeName == nil && !cell.isDerived && layout.isRoot
                result.append(
                    Column(name: column, type: type, isRequired: isRequired, role: .cell(layout, cell.index)))
                guard let order = place.order else { continue }
                result.append(Column(name: order, type: "bigint", role: .orderOfCell(layout, cell.index)))
            }
        }
        let table = try tables.columns(of: root).table
        for (layout, relationship, place) in toMany {
            guard case .owned(table, let column, let order) = place else { continue }
            result.append(Column(name: column, type: "bigint", role: .owned(layout, relationship)))
            guard let order else { continue }
            result.append(Column(name: order, type: "bigint", role: .orderOfOwned(layout, relationship)))
        }
        return result
    }

    /// Returns the words of a primary key; its name is given where the database would shorten that of the table.
    func primaryKey(of table: String) -> String {
        let name = Self.primaryKeyName(of: table)
        return name == "\(PostgreSQLName.unqualified(table))_pkey"
            ? "PRIMARY KEY" : "CONSTRAINT \(quoted(name)) PRIMARY KEY"
    }

    /// Returns the name of a table's primary key, without schema.
    static func primaryKeyName(of table: String) -> String {
        PostgreSQLName.unqualified(PostgreSQLName.name("pkey", of: table))
    }

    static func create(_ name: String, _ lines: [String]) -> String {
        "CREATE TABLE \(PostgreSQLName.quoted(name)) (\n    \(lines.joined(separator: ",\n    "))\n)"
    }

    private func columnType(_ kind: CellKind, _ place: CellColumns) -> String? {
        PostgreSQLName.type(of: kind, in: place).map { $0 == "text" ? "text COLLATE \"C\"" : $0 }
    }
}
