import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The statements of one history query. The database evaluates predicate, order, limit and count, so the cost is proportional
/// to the size of the answer.
package struct HistoryStatements {
    /// The constants, by the slots of their parameters.
    package private(set) var constants: [Any?]
    private let query: HistoryQuery
    private let names: any HistoryTableNames
    private let tables: any TableNames
    private let compiler: SQLCompiler
    private let scope = QueryScope(parent: nil)
    /// The conditions, to be joined by AND.
    private var conditions: [SQLFragment] = []
    /// The order of the query, and the order with the limit, which is empty without one.
    private var order: SQLFragment = ""
    private var tail: SQLFragment = ""
    private var dialect: any SQLDialect { tables.dialect }

    /// Compiles a query.
    ///
    /// - Throws: `NSCoreDataError` for unknown keys, and for conditions without an SQL form.
    package init(_ query: HistoryQuery, _ names: any HistoryTableNames, _ tables: any TableNames) throws {
        self.query = query
        self.names = names
        self.tables = tables
        compiler = SQLCompiler(tables)
        compiler.isTwoValued = true
        var writer = ShapeWriter()
        var node: PredicateNode?
        if let predicate = query.predicate {
            let known = try predicate.node.replacing { try Self.replacement(of: $0, names) }
            node = writer.numbering(known)
        }
        constants = writer.constants + [names.storeID]
        let operands = HistoryOperands(names, query.subject, storeID: writer.constants.count)
        let compiler = compiler
        compiler.names = { [unowned compiler] in try operands.operand($0, compiler) }
        if let node {
            let parts: [PredicateNode]
            if case .and(let nodes) = node { parts = nodes } else { parts = [node] }
            for part in parts {
                conditions.append(
                    try names.condition(part, query.subject, compiler) ?? "(\(compiler.predicate(part, scope)))")
            }
        }
        order = try orderClause()
    }

    /// Replaces the positions in a constant by the store's values for them; returns nil if there are none.
    private static func replacement(
        of node: ExpressionNode, _ names: any HistoryTableNames
    ) throws -> ExpressionNode? {
        switch node {
        case .constant(let place as HistoryPlace): return .constant(try names.constant(for: place))
        case .constant(let collection as any PredicateCollection):
            let elements = collection.predicateElements
            guard elements.contains(where: { $0 is HistoryPlace }) else { return nil }
            return .constant(try elements.map { try ($0 as? HistoryPlace).map(names.constant) ?? $0 })
        default: return nil
        }
    }

    /// Excludes everything up to a date.
    package mutating func follow(_ date: Date) throws {
        conditions.append("\(t(names.timestamp)) > \(try parameter(date, .date))")
    }

    /// Excludes everything up to a transaction.
    ///
    /// - Parameter place: the values of ``HistoryTableNames/place``.
    package mutating func follow(_ place: [(value: Any, kind: CellKind)]) throws {
        var marks: [SQLFragment] = []
        for (value, kind) in place { marks.append(try parameter(value, kind)) }
        conditions += names.isAfter(marks, query.subject)
    }

    /// Adds the limit and the conditions of every query. Called once, when the conditions of this query are complete.
    package mutating func finish() throws {
        if let isSettled = names.isSettled { conditions.append(isSettled) }
        if query.subject == .changes { conditions.append(isKnown) }
        guard query.limit > 0 || query.offset > 0 else { return }
        let limit = try parameter(query.limit > 0 ? query.limit : dialect.noLimit, .int64)
        tail = "\(order) LIMIT \(limit) OFFSET \(try parameter(query.offset, .int64))"
    }

    // MARK: Statements

    /// Counts changes.
    package func count() -> SQLStatement {
        let sql: SQLFragment =
            switch query.subject {
            case .transactions: "SELECT COUNT(*) \(changesOfSelected)"
            case .changes:
                tail.isEmpty
                    ? "SELECT COUNT(*) \(source)"
                    : "SELECT COUNT(*) FROM (SELECT 1 \(source)\(tail))\(raw: dialect.nameOfDerivedTable)"
            }
        return sql.statement(in: dialect)
    }

    /// Selects transactions: place, timestamp, author, bundle, context and process, and whether they are the engine's own if
    /// the tables tell.
    package func transactions() -> SQLStatement {
        let own = (names.place + [names.timestamp]).map(t)
        let texts = ["author", "bundleID", "contextName", "processID"].map(names.name)
        let columns = (own + texts + [names.isOwn].compactMap(\.self)).joined(separator: ", ")
        let sql: SQLFragment
        switch query.subject {
        case .transactions: sql = "SELECT \(columns) \(source)\(tail.isEmpty ? order : tail)"
        case .changes:
            let found: SQLFragment = "(SELECT \(c(names.transaction)) n \(source)\(tail))"
            sql =
                "SELECT \(columns) FROM \(names.transactions) t WHERE \(t(names.key)) IN (SELECT n FROM "
                + "\(found)\(raw: dialect.nameOfDerivedTable)) ORDER BY \(names.place.map(t).joined(separator: ", "))"
        }
        return sql.statement(in: dialect)
    }

    /// Selects changes: number, transaction, entity, key and kind.
    ///
    /// - Parameter more: further columns of changes to select.
    package func changes(selecting more: [SQLFragment] = []) -> SQLStatement {
        let own = [names.changeNumber, names.transaction, names.changedEntity, names.changedKey, names.kind]
        let columns = (own + more).map(c).joined(separator: ", ")
        let sql: SQLFragment =
            switch query.subject {
            case .transactions:
                "SELECT \(columns) \(changesOfSelected) "
                    + "ORDER BY \(names.order(ofChangesIn: "s").joined(separator: ", "))"
            case .changes: "SELECT \(columns) \(source)\(tail.isEmpty ? order : tail)"
            }
        return sql.statement(in: dialect)
    }

    // MARK: Parts

    private func t(_ column: SQLFragment) -> SQLFragment { "t.\(column)" }
    private func c(_ column: SQLFragment) -> SQLFragment { "c.\(column)" }

    private mutating func parameter(_ value: Any?, _ kind: CellKind) throws -> SQLFragment {
        constants.append(value)
        return try compiler.parameter(slot: constants.count - 1, .value(kind, nil))
    }

    /// Returns the order of the query, with the order of transactions or changes as the tie-breaker.
    private func orderClause() throws -> SQLFragment {
        let terms = query.subject == .changes ? names.order(ofChangesIn: "t") : names.place.map(t)
        let own = terms.joined(separator: ", ")
        guard !query.sortDescriptors.isEmpty else { return " ORDER BY \(own)" }
        return try "\(compiler.orderClause(query.sortDescriptors, scope)), \(own)"
    }

    /// The FROM and WHERE clauses of the queried rows.
    private var source: SQLFragment {
        var source: SQLFragment =
            query.subject == .changes
            ? "FROM \(names.changes) c JOIN \(names.transactions) t ON \(t(names.key)) = \(c(names.transaction))"
            : "FROM \(names.transactions) t"
        if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
        return source
    }

    /// The changes of the selected transactions.
    private var changesOfSelected: SQLFragment {
        let place = names.place.map(t).joined(separator: ", ")
        let selected: SQLFragment = "FROM (SELECT \(place) \(source)\(tail)) s"
        return "\(selected) \(dialect.drivingJoin) \(names.changes) c ON \(c(names.transaction)) = s.\(names.key) "
            + "WHERE \(isKnown)"
    }

    /// The condition that selects changes of entities in the model.
    private var isKnown: SQLFragment {
        let entities = tables.layouts.all.map { dialect.entity($0, tables) }.joined(separator: ", ")
        return "\(c(names.changedEntity)) IN (\(entities)) AND \(c(names.kind)) BETWEEN 0 AND 2"
    }
}

/// The operands for the names of history's properties.
private struct HistoryOperands {
    private let names: any HistoryTableNames
    private let subject: HistoryQuery.Subject
    /// The number of the constant with the store's identifier.
    private let storeID: Int

    init(_ names: any HistoryTableNames, _ subject: HistoryQuery.Subject, storeID: Int) {
        self.names = names
        self.subject = subject
        self.storeID = storeID
    }

    func operand(_ keys: [String], _ compiler: SQLCompiler) throws -> Operand {
        switch subject {
        case .transactions:
            if keys.count == 1, let operand = try transaction(keys[0], compiler) { return operand }
        case .changes:
            if let operand = try change(keys) { return operand }
            if keys.count == 2, keys[0] == "transaction", let operand = try transaction(keys[1], compiler) {
                return operand
            }
        }
        let path = keys.joined(separator: ".")
        throw UnsupportedQuery.make(
            "keypath \(path) not found in entity \(subject == .changes ? "CHANGE" : "TRANSACTION")",
            advice: "A fetch from history knows the attributes of its entity; filter the result by the rest.", key: path
        )
    }

    private func transaction(_ key: String, _ compiler: SQLCompiler) throws -> Operand? {
        switch key {
        case "author", "bundleID", "contextName", "processID": .value(names.name(key), .of(.string))
        case "storeID": .value(try compiler.parameter(slot: storeID, .value(.string, nil)), .of(.string))
        case "timestamp": .value("t.\(names.timestamp)", .of(.date))
        case "transactionNumber": .value("t.\(names.key)", .of(.int64))
        case "token": .value(names.token.sql, .of(names.token.kind))
        default: nil
        }
    }

    private func change(_ keys: [String]) throws -> Operand? {
        switch keys {
        case ["changeID"]: return .value("c.\(names.changeNumber)", .of(.int64))
        case ["changeType"]: return .value("c.\(names.kind)", .of(.int16))
        case ["changedObjectID"]:
            guard let row = names.changedRow else {
                throw UnsupportedQuery.make(
                    "this store cannot look for changes of an object by their changedObjectID",
                    advice: "Ask for the changes of its entity, then filter the result.", key: "changedObjectID")
            }
            return .value(row, .row)
        // An entity may be compared with a description or a name.
        case ["changedEntity"], ["changedEntity", "name"], ["changedObjectID", "entity"],
            ["changedObjectID", "entity", "name"]:
            return .entity("c.\(names.changedEntity)")
        default: return nil
        }
    }
}
