#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import PredicateFormat

/// The derived attributes of a model, and the statements that compute them after rows were written, in the same transaction.
///
/// Rows that lose a member or a destination are known only before that is written: their keys are kept until the transaction
/// ends in settings `coredata.…`, which are local to it.
final class DerivedAttributes: Sendable {
    private let derivations: [Derivation]

    var isEmpty: Bool { derivations.isEmpty }

    /// Compiles the derivations of a model.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` for a derivation that no store can compute.
    init(_ tables: PostgreSQLTables) throws {
        var derivations: [Derivation] = []
        for layout in tables.layouts.all {
            for cell in layout.ownCells where cell.isDerived {
                derivations.append(try Derivation(cell, of: layout, tables, number: derivations.count))
            }
        }
        self.derivations = derivations
    }

    /// Returns the statements to run before rows are written.
    func before(_ rows: TouchedRows) -> [PipelineRequest] { derivations.compactMap { $0.before(rows) } }

    /// Returns the statements to run after rows were written.
    ///
    /// - Parameter receive: Receives the rows with new values.
    func after(
        _ rows: TouchedRows, _ layouts: ModelLayouts, _ receive: @escaping (RowReference) -> Void
    ) -> [PipelineRequest] {
        derivations.compactMap { $0.after(rows, layouts, receive) }
    }
}

/// One derived attribute.
private struct Derivation: Sendable {
    private let layout: EntityLayout
    private let source: DerivedValue.Source
    private let table: String
    private let column: String
    /// The value for the row `t`.
    private let value: String
    private let sharesTable: Bool
    private let setting: String

    init(_ cell: EntityLayout.Cell, of layout: EntityLayout, _ tables: PostgreSQLTables, number: Int) throws {
        self.layout = layout
        setting = "coredata.before\(number)"
        let place = try tables.columns(of: layout)
        sharesTable = place.sharesTable
        table = PostgreSQLName.quoted(place.table)
        let ownPlace = place[cell.index]
        let maker = DerivedValue(cell, ownPlace, layout, tables)
        guard let own = ownPlace.column, let type = PostgreSQLName.type(of: cell.kind, in: ownPlace) else {
            throw maker.unsupported("no column")
        }
        column = PostgreSQLName.quoted(own)
        let made = try maker.make()
        value = "(\(made.sql))::\(type)"
        source = made.source
    }

    // MARK: Before

    /// Returns the statement that keeps the keys of rows that lose a member or destination; nil if there is none.
    func before(_ rows: TouchedRows) -> PipelineRequest? {
        let owners: String
        let keys: [Int64]
        switch source {
        case .now, .own: return nil
        case .toOne(_, let column, let destination, _):
            keys = TouchedRows.keys(rows.deleted, of: destination)
            owners = "SELECT id FROM \(table) WHERE \(column) = ANY ($1::bigint[])"
        case .toMany(_, let columns, let destination, _):
            keys = TouchedRows.keys(rows.deleted, of: destination) + TouchedRows.keys(rows.updated, of: destination)
            owners = Self.owners(columns)
        }
        guard !keys.isEmpty else { return nil }
        var parameters = ParameterList()
        parameters.add(keys)
        return PipelineRequest(
            ServerStatement(
                "SELECT set_config('\(setting)', (SELECT coalesce(array_agg(id), '{}')::text "
                    + "FROM (\(owners)) AS owners(id) WHERE id IS NOT NULL), true)"), parameters)
    }

    /// Selects the owners of the members with the keys of parameter 1.
    private static func owners(_ columns: ToManyColumns) -> String {
        switch columns {
        case .foreignKey(let table, let column, _, _), .owned(let table, let column, _):
            "SELECT DISTINCT \(PostgreSQLName.quoted(column)) FROM \(PostgreSQLName.quoted(table)) "
                + "WHERE id = ANY ($1::bigint[])"
        case .join(let table, let own, let target, _, _, _):
            "SELECT DISTINCT \(PostgreSQLName.quoted(own)) FROM \(PostgreSQLName.quoted(table)) "
                + "WHERE \(PostgreSQLName.quoted(target)) = ANY ($1::bigint[])"
        }
    }

    // MARK: After

    func after(
        _ rows: TouchedRows, _ layouts: ModelLayouts, _ receive: @escaping (RowReference) -> Void
    ) -> PipelineRequest? {
        var owners = TouchedRows.keys(rows.inserted, of: layout)
        var members: [Int64] = []
        var condition = "t.id = ANY ($2::bigint[])"
        var keepsSetting = false
        switch source {
        case .now: owners += TouchedRows.keys(rows.updated, of: layout)
        case .own(let cell): owners += rows.updatedKeys(of: layout, in: [cell])
        case .toOne(let cell, let column, let destination, let value):
            owners += rows.updatedKeys(of: layout, in: [cell])
            members = rows.updatedKeys(of: destination, in: [value])
            condition += " OR t.\(column) = ANY ($1::bigint[])"
            keepsSetting = !TouchedRows.keys(rows.deleted, of: destination).isEmpty
        case .toMany(let relationship, let columns, let destination, _):
            members =
                TouchedRows.keys(rows.inserted, of: destination) + TouchedRows.keys(rows.updated, of: destination)
            owners +=
                rows.linked[TouchedRows.Link(number: layout.root.number, relationship: relationship.name)] ?? []
            condition += " OR t.id IN (\(Self.owners(columns)))"
            keepsSetting =
                !TouchedRows.keys(rows.deleted, of: destination).isEmpty
                || !TouchedRows.keys(rows.updated, of: destination).isEmpty
        }
        guard !owners.isEmpty || !members.isEmpty || keepsSetting else { return nil }
        if keepsSetting {
            condition +=
                " OR t.id = ANY (coalesce(nullif(current_setting('\(setting)', true), ''), '{}')::bigint[])"
        }
        var sql = "UPDATE \(table) t SET \(column) = \(value) WHERE ($1::bigint[] IS NOT NULL AND (\(condition)))"
        if case .now = source {} else { sql += " AND t.\(column) IS DISTINCT FROM \(value)" }
        if sharesTable {
            let names = layout.familyNumbers.compactMap { layouts.byNumber[$0]?.name }.map(PostgreSQLName.literal)
            sql += " AND t.entity IN (\(names.joined(separator: ", ")))"
        }
        sql += " RETURNING t.id\(sharesTable ? ", t.entity" : "")"
        var parameters = ParameterList()
        parameters.add(members)
        parameters.add(owners)
        return PipelineRequest(ServerStatement(sql), parameters) { [layout, sharesTable] result in
            for row in 0..<result.count {
                receive(try result.reference(row, entity: sharesTable ? 1 : nil, of: layout, layouts))
            }
        }
    }
}
#endif
