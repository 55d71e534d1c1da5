import Foundation

/// Compares the file's tables, columns, indexes and triggers with those of the model.
struct SchemaRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    func run() throws {
        guard !check.isDamaged("sqlite_master") else { return }
        for (table, columns) in [
            ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
            ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]),
        ] { compare(table, columns, nil, remedy: .mended) }
        for table in schema.tables {
            compare(table.name, table.columns.map(\.name), schema.entity(table.root)?.name, remedy: .mendedWithLoss)
            types(table)
            indexes(table)
        }
        for join in schema.joins {
            let entity = schema.entity(join.first.entity)?.name
            compare(
                join.name, join.columns.map(\.name), entity, property: join.first.relationship,
                remedy: .mendedWithLoss)
            for column in [join.first.column, join.second.column] {
                index(join.name, column, entity, join.first.relationship)
            }
        }
        declaredIndexes()
        triggers()
    }

    // MARK: Tables

    private func compare(
        _ table: String, _ columns: [String], _ entity: String?, property: String? = nil, remedy: StoreFinding.Remedy
    ) {
        guard check.facts.hasTable(table) else {
            check.add(
                StoreFinding(
                    .schema, table: table, entity: entity, property: property, "The table \(table) is missing.",
                    remedy: remedy))
            return
        }
        for column in columns where !check.facts.has(table, column) && !isRenamed(column, in: table) {
            check.add(
                StoreFinding(
                    .schema, table: table, entity: entity, property: property ?? self.property(column, in: table),
                    "The column \(column) of the table \(table) is missing.", remedy: remedy))
        }
    }

    /// Returns whether the column of a destination's entity number has another number, or is not needed.
    private func isRenamed(_ column: String, in table: String) -> Bool {
        schema.entities.contains { $0.table == table && $0.toOnes.contains { $0.entityColumn == column } }
    }

    private func property(_ column: String, in table: String) -> String? {
        for entity in schema.entities where entity.table == table {
            if let attribute = entity.attributes.first(where: { $0.column == column }) { return attribute.path }
            if let toOne = entity.toOnes.first(where: {
                [$0.column, $0.entityColumn, $0.orderColumn].contains(column)
            }) {
                return toOne.name
            }
        }
        return nil
    }

    private func types(_ table: EntityTable) {
        for column in table.columns {
            guard let type = check.facts.type(table.name, column.name),
                Affinity(type) != Affinity(column.declaredType)
            else { continue }
            check.add(
                StoreFinding(
                    .schema, table: table.name, entity: schema.entity(table.root)?.name,
                    property: property(column.name, in: table.name),
                    "The column \(column.name) of the table \(table.name) is declared as \(type.isEmpty ? "untyped" : type) "
                        + "instead of \(column.declaredType).", remedy: .mended))
        }
    }

    /// SQLite's rules for declared types.
    private enum Affinity {
        case integer, text, blob, real, numeric

        init(_ type: String) {
            let type = type.uppercased()
            if type.contains("INT") {
                self = .integer
            } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
                self = .text
            } else if type.isEmpty || type.contains("BLOB") {
                self = .blob
            } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
                self = .real
            } else {
                self = .numeric
            }
        }
    }

    // MARK: Indexes and triggers

    /// Checks the indexes that Core Data creates for every relationship.
    private func indexes(_ table: EntityTable) {
        for entity in schema.declaring(in: table) {
            for toOne in entity.toOnes { index(table.name, toOne.column, entity.name, toOne.name) }
        }
        for entity in schema.entities {
            for toMany in entity.toManys where toMany.inverse == nil {
                if case .foreignKey(let place, let column, _, _) = toMany.place, place == table.name {
                    index(place, column, entity.name, toMany.name)
                }
            }
        }
    }

    private func index(_ table: String, _ column: String, _ entity: String?, _ property: String?) {
        guard check.facts.has(table, column), !check.facts.hasAnyIndex(table, on: column) else { return }
        check.add(
            StoreFinding(
                .index, table: table, entity: entity, property: property,
                "The index on \(column) of the table \(table) is missing.", remedy: .mended))
    }

    /// Checks the indexes that the store's model declares: those of a model that is given may be newer than the file, because
    /// version hashes do not include them.
    private func declaredIndexes() {
        guard check.usesOwnModel else { return }
        for index in schema.indexes where check.facts.hasTable(index.table) {
            guard !check.facts.hasIndex(named: index.name), let columns = Self.columns(index.sql), !columns.isEmpty,
                check.facts.has(index.table, columns), !index.sql.hasPrefix("CREATE UNIQUE"),
                columns != ["Z_ENT"], !check.facts.hasAnyIndex(index.table, on: columns)
            else { continue }
            let covered =
                columns.count == 1 && schema.entities.contains { $0.toOnes.contains { $0.column == columns[0] } }
            guard !covered, !schema.joins.contains(where: { $0.name == index.table }) else { continue }
            check.add(
                StoreFinding(
                    .index, table: index.table, "The index \(index.name) of the store's model is missing.",
                    remedy: .mended))
        }
    }

    /// Returns the columns of a statement of this module that creates an index; nil if they have another form.
    private static func columns(_ sql: String) -> [String]? {
        guard let open = sql.firstIndex(of: "("), let close = sql[open...].firstIndex(of: ")") else { return nil }
        return sql[sql.index(after: open)..<close].split(separator: ",").compactMap {
            $0.split(separator: " ").first.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        }
    }

    private func triggers() {
        let present = Set(check.facts.triggers.values.map { Self.normalized($0.sql) })
        for trigger in schema.triggers where check.facts.hasTable(trigger.table) {
            guard check.facts.triggers[trigger.name.uppercased()] == nil,
                !present.contains(Self.normalized(trigger.sql))
            else { continue }
            check.add(
                StoreFinding(
                    .index, table: trigger.table,
                    "The trigger \(trigger.name), which updates a derived attribute, is missing.", remedy: .mended))
        }
    }

    /// Returns the action of a trigger without spaces and quotes.
    private static func normalized(_ sql: String) -> String {
        let text = sql.uppercased().filter { !$0.isWhitespace && $0 != "\"" }
        return text.range(of: "AFTER").map { String(text[$0.lowerBound...]) } ?? text
    }
}
