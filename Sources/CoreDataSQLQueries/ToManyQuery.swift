import CoreDataRowStorage

/// The queries for the members of a to-many relationship. Rows are selected with the alias `t0`.
package struct ToManyQuery {
    package let destination: EntityLayout
    /// Whether references have the entity beside the key.
    package let selectsEntity: Bool
    package let columns: ToManyColumns
    private let table: SQLFragment
    private let tables: any TableNames
    private var dialect: any SQLDialect { tables.dialect }

    package init(_ columns: ToManyColumns, to destination: EntityLayout, _ tables: any TableNames) throws {
        let place = try tables.columns(of: destination)
        self.columns = columns
        self.destination = destination
        self.tables = tables
        selectsEntity = place.hasSubentities
        table = tables.dialect.identifier(place.table)
    }

    /// The column of the owner's key in the rows themselves; nil for relationships with a join table.
    package var ownerColumn: String? {
        switch columns {
        case .foreignKey(_, let column, _, _), .owned(_, let column, _): column
        case .join: nil
        }
    }

    // MARK: Queries

    /// Selects the references of one object's rows, by the object's key.
    package func references() throws -> SQLStatement {
        let owner = try dialect.parameter(.value(.int64, nil))
        let entity: SQLFragment = selectsEntity ? ", t0.\(dialect.entityColumn)" : ""
        let query: SQLFragment
        switch columns {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            query =
                "SELECT \(key)\(entity) FROM \(name(table)) t0 WHERE t0.\(name(column)) = \(owner)"
                + (try sort(by: order, of: "t0", then: key))
        case .join(let join, let own, let target, let order, _, let isReflexive):
            let (join, own, target) = (name(join), name(own), name(target))
            if isReflexive {
                query =
                    "SELECT \(key)\(entity) FROM \(table) t0 WHERE \(key) IN (SELECT \(target) FROM \(join) "
                    + "WHERE \(own) = \(owner) UNION SELECT \(own) FROM \(join) WHERE \(target) = \(owner))"
                break
            }
            let sort = try sort(by: order, of: "j", then: "j.\(target)")
            let rows: SQLFragment = selectsEntity ? " \(drivingJoin) \(table) t0 ON \(key) = j.\(target)" : ""
            query = "SELECT j.\(target)\(entity) FROM \(join) j\(rows) WHERE j.\(own) = \(owner)\(sort)"
        }
        return query.statement(in: dialect)
    }

    /// Selects one object's members, by the object's key; returns nil if the query for many has to serve.
    ///
    /// - Parameters:
    ///   - list: the columns to select.
    ///   - findsKeysFirst: whether to find the keys by an index before rows are read; see ``FetchStatement``.
    package func rowsOfOne(selecting list: SQLFragment, findsKeysFirst: Bool) throws -> SQLStatement? {
        let owner = try dialect.parameter(.value(.int64, nil))
        let query: SQLFragment
        switch columns {
        case .foreignKey(let table, let column, _, nil), .owned(let table, let column, nil):
            let (table, column) = (name(table), name(column))
            query =
                findsKeysFirst
                ? "SELECT \(list) FROM \(table) k CROSS JOIN \(table) t0 ON \(key) = k.\(dialect.keyColumn) "
                    + "WHERE k.\(column) = \(owner)"
                : "SELECT \(list) FROM \(table) t0 WHERE t0.\(column) = \(owner)"
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            query =
                "SELECT \(list) FROM \(name(table)) t0 WHERE t0.\(name(column)) = \(owner)"
                + (try sort(by: order, of: "t0", then: key))
        case .join(_, _, _, _, _, isReflexive: true): return nil
        case .join(let join, let own, let target, let order, _, _):
            let (join, own, target) = (name(join), name(own), name(target))
            query =
                "SELECT \(list) FROM \(join) j \(drivingJoin) \(table) t0 ON \(key) = j.\(target) "
                + "WHERE j.\(own) = \(owner)" + (try sort(by: order, of: "j", then: "j.\(target)"))
        }
        return query.statement(in: dialect)
    }

    /// Selects the members of many objects, by the list of the objects' keys: grouped by object, or, if the relationship is
    /// not ordered and the dialect does not join in order, in any order.
    ///
    /// - Parameter selectsOwner: whether to select the owner's key after the list.
    package func rowsOfMany(selecting list: SQLFragment, selectsOwner: Bool) throws -> SQLStatement {
        let keys = dialect.table(of: try dialect.parameter(.keys(root: 0)), named: "k")
        let owner: SQLFragment
        let rows: SQLFragment
        let sort: SQLFragment
        switch columns {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            // Selected from the relationship's table: reading it from the table of keys costs SQLite a function call per row.
            owner = "t0.\(name(column))"
            rows = "\(drivingJoin) \(name(table)) t0 ON t0.\(name(column)) = k.value"
            sort = try self.sort(by: order, of: "t0", then: key, after: "k.value")
        case .join(let join, let own, let target, let order, _, let isReflexive):
            let (join, own, target) = (name(join), name(own), name(target))
            if isReflexive {
                let both: SQLFragment =
                    "(SELECT \(own) AS a, \(target) AS b FROM \(join) UNION SELECT \(target), \(own) FROM \(join)) j"
                owner = "k.value"
                rows = "\(drivingJoin) \(both) ON j.a = k.value \(drivingJoin) \(table) t0 ON \(key) = j.b"
                sort = " ORDER BY k.value"
                break
            }
            owner = "j.\(own)"
            rows =
                "\(drivingJoin) \(join) j ON j.\(own) = k.value \(drivingJoin) \(table) t0 ON \(key) = j.\(target)"
            sort = try self.sort(by: order, of: "j", then: "j.\(target)", after: "k.value")
        }
        let ownerColumn: SQLFragment = selectsOwner ? ", \(owner)" : ""
        let query: SQLFragment = "SELECT \(list)\(ownerColumn) FROM \(keys) \(rows)\(sort)"
        return query.statement(in: dialect)
    }

    // MARK: Parts

    private var key: SQLFragment { "t0.\(dialect.keyColumn)" }
    private var drivingJoin: SQLFragment { dialect.drivingJoin }

    private func name(_ name: String) -> SQLFragment { dialect.identifier(name) }

    /// Returns the order of an ordered relationship; empty for others.
    private func sort(
        by order: String?, of alias: String, then key: SQLFragment, after owner: SQLFragment? = nil
    ) throws -> SQLFragment {
        guard let order else { return "" }
        let position = try dialect.order(
            "\(raw: alias).\(name(order))", .of(.int64), by: nil, named: nil, ascending: true)
        let terms = (owner.map { [$0] } ?? []) + [position, key]
        return " ORDER BY \(terms.joined(separator: ", "))"
    }
}
