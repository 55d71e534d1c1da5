import CoreDataSQLQueries
import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The tables and columns of an existing file, read from the file itself.
package struct ActualSchema {
    /// The tables by upper-case name.
    private var creations = ObjectTable<String, Creation>(minimumCapacity: 24)
    private var triggers: Set<String> = []
    private var views: Set<String> = []
    private let connection: SQLiteConnection

    /// The statement that created a table.
    private final class Creation {
        let name: String
        let sql: String

        init(name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    package init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        let statement = try connection.prepare(
            "SELECT name, sql, type FROM sqlite_master WHERE type IN ('table', 'trigger', 'view')")
        while try statement.step() {
            guard let name = statement.text(0) else { continue }
            switch statement.text(2) {
            case "trigger": triggers.insert(name.uppercased())
            case "view": views.insert(name.uppercased())
            default: creations[name.uppercased()] = Creation(name: name, sql: statement.text(1) ?? "")
            }
        }
    }

    /// Whether there are no tables except SQLite's own, such as its statistics.
    package var isEmpty: Bool { creations.values.allSatisfy { Self.isOfSQLite($0.name) } }
    /// Whether there are no tables of entities, nor tables that Core Data has not created.
    var hasOnlySystemTables: Bool {
        creations.values.allSatisfy { creation in
            Self.isOfSQLite(creation.name)
                || ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(creation.name.uppercased())
        }
    }
    package var isCoreDataStore: Bool { creations["Z_METADATA"] != nil && creations["Z_PRIMARYKEY"] != nil }
    package func hasTable(_ name: String) -> Bool { creations[name.uppercased()] != nil }
    /// Whether there are views, and none in place of one of Core Data's tables.
    var hasViewsOfOthers: Bool { !views.isEmpty && !views.contains(where: Self.isOwn) }

    /// Returns true if a table of this upper-case name belongs to the model or to its history.
    package static func isOwn(_ name: String) -> Bool {
        name.hasPrefix("Z") || ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name)
    }

    private static func isOfSQLite(_ name: String) -> Bool { name.lowercased().hasPrefix("sqlite_") }

    func hasTrigger(_ name: String) -> Bool { triggers.contains(name.uppercased()) }

    /// Returns the statement that created a table.
    package func creation(of table: String) -> String? { creations[table.uppercased()]?.sql }

    /// Returns the columns of a table as spelled in the file; nil if there is no such table.
    func columns(of table: String) throws -> [String]? {
        guard let name = creations[table.uppercased()]?.name else { return nil }
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        try statement.bind(name, at: 1)
        var columns: [String] = []
        while try statement.step() { columns.append(statement.text(0) ?? "") }
        return columns
    }
}

extension SQLSchema {
    /// Adopts the names in an existing file, where migration or an older framework left others than the rules give.
    ///
    /// - Parameter required: numbers of the entities that the store is used for; tables of others may be missing.
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` if a table or column is missing.
    mutating func adapt(
        to actual: ActualSchema, layouts: ModelLayouts, required: Set<Int>, path: String
    ) throws {
        for table in tables where actual.creation(of: table.name) != table.creation {
            guard layouts.family(of: table.root).contains(where: required.contains) else { continue }
            guard let columns = try actual.columns(of: table.name) else {
                throw Self.missing("the table \(table.name)", path: path)
            }
            let present = Set(columns.map { $0.uppercased() })
            for required in ["Z_PK", "Z_ENT", "Z_OPT"] where !present.contains(required) {
                throw Self.missing("the column \(required) of the table \(table.name)", path: path)
            }
            try check(table, has: present, layouts: layouts, path: path)
        }
        var missing: Set<String> = []
        for index in joins.indices where actual.creation(of: joins[index].name) != joins[index].creation {
            guard required.contains(joins[index].first.entity) || required.contains(joins[index].second.entity) else {
                continue
            }
            if joins[index].isHalfTransient, !joins[index].names(numbering).contains(where: actual.hasTable) {
                missing.insert(joins[index].name)
                continue
            }
            try joins[index].adapt(to: actual, numbering: numbering, path: path)
            let creation = actual.creation(of: joins[index].name)?.uppercased() ?? ""
            if !creation.contains("PRIMARY KEY") { keylessJoins.insert(joins[index].name) }
        }
        if !missing.isEmpty { joins.removeAll { missing.contains($0.name) } }
    }

    private mutating func check(
        _ table: Table, has present: Set<String>, layouts: ModelLayouts, path: String
    ) throws {
        for number in layouts.family(of: table.root) {
            guard let columns = entities[number] else { continue }
            for index in columns.own.indices {
                if let column = columns.own[index].column, !present.contains(column) {
                    throw Self.missing("the column \(column) of the table \(table.name)", path: path)
                }
                // These two columns are optional.
                if let column = columns.own[index].entityColumn, !present.contains(column) {
                    columns.own[index].entityColumn = nil
                }
                if let column = columns.own[index].order, !present.contains(column) {
                    columns.own[index].order = nil
                }
            }
        }
        for (name, key) in ownedKeys where key.table == table.name {
            guard present.contains(key.column) else {
                throw Self.missing("the column \(key.column) of the table \(table.name)", path: path)
            }
            if let order = key.order, !present.contains(order) { ownedKeys[name]?.order = nil }
        }
    }

    static func missing(_ what: String, path: String) -> NSError {
        SQLiteFailure.storeError(
            NSPersistentStoreIncompatibleSchemaError, path: path,
            description: "The store's tables do not fit the model.", reason: "The file lacks \(what).",
            advice: "The file was changed by another program; restore a backup.")
    }
}

extension JoinTable {
    /// Returns the two possible names of the table: either side can name it.
    fileprivate func names(_ numbering: EntityNumbering) -> [String] {
        [name, "Z_\(numbering.inFile[second.entity])\(second.name.uppercased())"]
    }

    /// Finds the table under either of its two possible names, and its columns by their names.
    fileprivate mutating func adapt(to actual: ActualSchema, numbering: EntityNumbering, path: String) throws {
        guard let table = names(numbering).first(where: actual.hasTable), let columns = try actual.columns(of: table)
        else {
            throw SQLSchema.missing("the join table \(name)", path: path)
        }
        name = table
        let keys = columns.filter { !$0.uppercased().hasPrefix("Z_FOK_") }.prefix(2)
        let bases = [firstColumn, secondColumn].map { $0.trimmingSuffix(while: \.isNumber) }
        guard keys.count == 2,
            let place = keys.firstIndex(where: { $0.caseInsensitiveCompare(firstColumn) == .orderedSame })
                ?? keys.firstIndex(where: { $0.uppercased().trimmingSuffix(while: \.isNumber) == bases[0] })
                ?? keys.firstIndex(where: { $0.uppercased().trimmingSuffix(while: \.isNumber) == bases[1] })
                .map({ 1 - $0 })
                ?? keys.firstIndex(where: { Self.number(in: $0) == numbering.inFile[first.entity] })
                ?? keys.firstIndex(where: { Self.relationship(in: $0) == Self.relationship(in: firstColumn) })
        else { throw SQLSchema.missing("the key columns of the join table \(name)", path: path) }
        let orders = columns.filter { $0.uppercased().hasPrefix("Z_FOK_") }
        firstOrder = Self.order(of: keys[place], among: orders, expected: firstOrder).map(SQLName.quoted)
        secondOrder = Self.order(of: keys[1 - place], among: orders, expected: secondOrder).map(SQLName.quoted)
        // These names were chosen by the program that created the file.
        firstColumn = SQLName.quoted(keys[place])
        secondColumn = SQLName.quoted(keys[1 - place])
    }

    private static func order(of column: String, among orders: [String], expected: String?) -> String? {
        guard let expected else { return nil }
        let own = orderColumn(of: column)
        return orders.first { $0.caseInsensitiveCompare(own) == .orderedSame }
            ?? orders.first { $0.caseInsensitiveCompare(expected) == .orderedSame }
            ?? (orders.count == 1 ? orders[0] : nil)
    }

    /// Returns the relationship in a join column's name, without the numbers around it.
    private static func relationship(in column: String) -> String {
        column.uppercased().dropFirst(2).drop(while: \.isNumber).description.trimmingSuffix(while: \.isNumber)
    }

    /// Returns the entity number in a join column's name.
    private static func number(in column: String) -> Int? {
        Int(column.dropFirst(2).prefix(while: \.isNumber))
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return String(self[..<end])
    }
}
