#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Synchronization

/// The statements that write rows, compiled once for each entity and set of columns. Rows are passed as one array for each
/// column.
final class WritePlans: Sendable {
    /// The insertion of rows: parameters 1 and 2 are keys and versions.
    struct Insert: Sendable {
        let statement: ServerStatement
        /// The same for one row, with values instead of arrays, which takes the server less time.
        let single: ServerStatement
        let columns: [ColumnEncoder]
        /// The table, quoted.
        let table: String
        /// The entity's name, if the table has rows of several.
        let entity: String?
        /// True if rows may be inserted before others are changed: constraints are checked at the end of the transaction.
        let isFree: Bool
    }

    /// The change of some columns of rows with known versions: parameters 1 and 2 are keys and known versions, the last one
    /// is their number. Fails with 22012 if there are fewer such rows.
    struct Update: Sendable {
        let statement: ServerStatement
        /// The same for one row, with values instead of arrays and without the number.
        let single: ServerStatement
        let columns: [ColumnEncoder]
    }

    /// The deletion of rows with known versions, parameters as in ``Update``.
    struct Delete: Sendable {
        let statement: ServerStatement
        /// Sets to-one relationships to deleted rows to NULL in rows that are not deleted: parameters 1 and 2 are the keys of
        /// the deleted rows and those of the deleted rows of the table.
        let clearings: [Clearing]
        /// The statement that records deletions in history with values; nil if history preserves none.
        let tombstones: ServerStatement?
    }

    struct Clearing: Sendable {
        let statement: ServerStatement
        /// The same, recorded in history: parameter 3 is the key of the history transaction.
        let recording: ServerStatement
        /// The entity with the relationship.
        let root: Int
    }

    private struct UpdateKey: Hashable {
        var number: Int
        var changed: ContiguousArray<UInt64>
    }

    private struct Plans {
        var inserts: [Int: Insert] = [:]
        var updates: [UpdateKey: Update] = [:]
        var deletes: [Int: Delete] = [:]
        var locks: [Int: ServerStatement] = [:]
    }

    private let tables: PostgreSQLTables
    private let plans = Mutex(Plans())

    init(_ tables: PostgreSQLTables) { self.tables = tables }

    // MARK: Inserts

    func insert(_ layout: EntityLayout) throws -> Insert {
        if let plan = plans.withLock({ $0.inserts[layout.number] }) { return plan }
        let plan = try makeInsert(layout)
        plans.withLock { $0.inserts[layout.number] = plan }
        return plan
    }

    private func makeInsert(_ layout: EntityLayout) throws -> Insert {
        let place = try tables.columns(of: layout)
        let columns = try zip(layout.cells, place.cells).compactMap { try ColumnEncoder($0, $1) }
        var names = ["id", "version"]
        var values = ["d.id", "d.version"]
        if place.sharesTable {
            names.append("entity")
            values.append(PostgreSQLName.literal(layout.name))
        }
        var single = ["$1::bigint", "$2::bigint"] + values.dropFirst(2)
        names += columns.map(\.column)
        values += columns.indices.map { "d.c\($0)" }
        single += columns.indices.map { Self.value($0, columns) }
        let table = PostgreSQLName.quoted(place.table)
        let insertion = "INSERT INTO \(table) (\(names.joined(separator: ", "))) "
        return Insert(
            statement: ServerStatement(
                insertion + "SELECT \(values.joined(separator: ", ")) FROM \(Self.source(columns))"),
            single: ServerStatement(insertion + "VALUES (\(single.joined(separator: ", ")))"), columns: columns,
            table: table,
            entity: place.sharesTable ? layout.name : nil, isFree: try isFree(layout.root))
    }

    /// Returns the parameter of a column's value, for one row.
    private static func value(_ index: Int, _ columns: [ColumnEncoder]) -> String {
        "$\(index + 3)::\(columns[index].typeName)"
    }

    /// Returns true if no uniqueness constraint of a hierarchy is an index, which is checked at once.
    private func isFree(_ root: EntityLayout) throws -> Bool {
        let schema = PostgreSQLSchema(tables)
        let family = root.familyNumbers.compactMap { tables.layouts.byNumber[$0] }
        return try family.flatMap { try schema.uniqueness(of: $0) }.allSatisfy { constraint in
            constraint.columns.allSatisfy { $0.count == 1 }
        }
    }

    /// Returns the rows that are passed as arrays.
    private static func source(_ columns: [ColumnEncoder]) -> String {
        let arrays = columns.enumerated().map { "$\($0 + 3)::\($1.typeName)[]" }
        let names = columns.indices.map { "c\($0)" }
        return "unnest(\((["$1::bigint[]", "$2::bigint[]"] + arrays).joined(separator: ", "))) "
            + "AS d(\((["id", "version"] + names).joined(separator: ", ")))"
    }

    // MARK: Updates

    /// Returns the update of a set of columns.
    ///
    /// - Parameter changed: One bit for each slot, as in the row of a changed object.
    func update(_ layout: EntityLayout, changed: ContiguousArray<UInt64>) throws -> Update {
        let key = UpdateKey(number: layout.number, changed: changed)
        if let plan = plans.withLock({ $0.updates[key] }) { return plan }
        let cells = layout.cells.indices.filter { changed[$0 >> 6] & (1 << UInt64($0 & 63)) != 0 }
        let plan = try makeUpdate(layout, cells)
        plans.withLock {
            if $0.updates.count >= 1000 { $0.updates.removeAll() }
            $0.updates[key] = plan
        }
        return plan
    }

    private func makeUpdate(_ layout: EntityLayout, _ cells: [Int]) throws -> Update {
        let place = try tables.columns(of: layout)
        let columns = try cells.compactMap { try ColumnEncoder(layout.cells[$0], place.cells[$0]) }
        var assignments = ["version = d.version + 1"]
        assignments += columns.enumerated().map { "\($1.column) = d.c\($0)" }
        var single = ["version = $2::bigint + 1"]
        single += columns.enumerated().map { "\($1.column) = \(Self.value($0, columns))" }
        // A position has no meaning under another owner; the order is written afterwards.
        let positions = cells.compactMap { place.cells[$0].order }.map { "\(PostgreSQLName.quoted($0)) = NULL" }
        let update = "UPDATE \(PostgreSQLName.quoted(place.table)) t SET "
        return Update(
            statement: ServerStatement(
                Self.counted(
                    update + (assignments + positions).joined(separator: ", ")
                        + " FROM \(Self.source(columns)) WHERE t.id = d.id AND t.version = d.version",
                    is: "$\(columns.count + 3)::bigint")),
            single: ServerStatement(
                Self.counted(
                    update + (single + positions).joined(separator: ", ")
                        + " WHERE t.id = $1::bigint AND t.version = $2::bigint", is: "1")),
            columns: columns)
    }

    /// Returns a statement that fails with 22012 unless the given one changes a number of rows.
    private static func counted(_ statement: String, is count: String) -> String {
        "WITH changed AS (\(statement) RETURNING 1) SELECT 1 / (count(*) = \(count))::integer FROM changed"
    }

    // MARK: Deletes and checks

    func delete(_ layout: EntityLayout) throws -> Delete {
        if let plan = plans.withLock({ $0.deletes[layout.number] }) { return plan }
        let table = PostgreSQLName.quoted(try tables.columns(of: layout).table)
        let plan = Delete(
            statement: ServerStatement(
                Self.counted(
                    "DELETE FROM \(table) t USING \(Self.source([])) WHERE t.id = d.id AND t.version = d.version",
                    is: "$3::bigint")),
            clearings: try layout.relationships.compactMap(clearing),
            tombstones: try Self.makeTombstones(of: layout, tables))
        plans.withLock { $0.deletes[layout.number] = plan }
        return plan
    }

    private func clearing(_ relationship: EntityLayout.Relationship) throws -> Clearing? {
        guard relationship.deleteRule != .noAction, let inverse = relationship.inverse, !inverse.isToMany,
            let destination = tables.layouts.byNumber[relationship.destinationNumber],
            case .cell(let cell)? = destination.members[inverse.name]
        else { return nil }
        let place = try tables.columns(of: destination)
        guard let column = place.cells[cell].column.map(PostgreSQLName.quoted) else { return nil }
        var assignments = ["\(column) = NULL", "version = version + 1"]
        if let order = place.cells[cell].order { assignments.append("\(PostgreSQLName.quoted(order)) = NULL") }
        let update =
            "UPDATE \(PostgreSQLName.quoted(place.table)) SET \(assignments.joined(separator: ", ")) "
            + "WHERE \(column) = ANY ($1::bigint[]) AND NOT id = ANY ($2::bigint[])"
        return Clearing(
            statement: ServerStatement(update),
            recording: Self.recording(update, of: inverse.name, destination, place), root: destination.root.number)
    }

    /// Returns the check of rows for known versions, which keeps them as they are until the transaction ends.
    func lock(_ layout: EntityLayout) throws -> ServerStatement {
        if let statement = plans.withLock({ $0.locks[layout.number] }) { return statement }
        let table = PostgreSQLName.quoted(try tables.columns(of: layout).table)
        let statement = ServerStatement(
            "SELECT 1 / (count(*) = $3::bigint)::integer FROM (SELECT 1 FROM \(table) t JOIN \(Self.source([])) "
                + "ON t.id = d.id AND t.version = d.version FOR SHARE OF t) AS locked")
        plans.withLock { $0.locks[layout.number] = statement }
        return statement
    }
}
#endif
