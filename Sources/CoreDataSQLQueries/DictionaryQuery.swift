import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The SQL of a fetch that returns dictionaries: columns, computed values, groups.
package struct DictionaryQuery {
    /// One value of the result, with its SQL and the conversion of the selected columns.
    package struct Column {
        package var name: String
        package var sql: [SQLFragment]
        package var result: Result

        package enum Result {
            case value(ValueType)
            /// The key and the entity number of an object. The number is not selected if only one entity is possible.
            case object(EntityLayout, selectsEntity: Bool)
            /// A dictionary of elements, selected as one column each.
            case composite([CompositeOperand.Element])
        }

        /// The type that the fetch declares for the value, if it is another.
        package var declared: CellKind?
        /// The SQL by which the value is compared, if it differs from the SQL of the result.
        var compared: SQLFragment?
        package var isAggregate = false
        /// The aggregate, if the value is nothing but an aggregate.
        package var aggregate: (function: AggregateFunction, argument: SQLFragment, kind: CellKind?)?
    }

    private let fetch: StoreFetch
    private let table: FetchTable
    private let tables: any TableNames
    private let compiler: SQLCompiler
    private let scope = QueryScope(parent: nil)
    private var writer = ShapeWriter()
    package private(set) var columns: [Column] = []
    package private(set) var groups: [Column] = []
    /// The whole query, and its part from `FROM` on.
    package private(set) var text: SQLFragment = ""
    package private(set) var source: SQLFragment = ""
    /// The constants to bind, by slot.
    package var constants: [Any?] { writer.constants }

    package init(_ fetch: StoreFetch, _ tables: any TableNames) throws {
        self.fetch = fetch
        self.tables = tables
        table = fetch.table ?? FetchTable()
        compiler = SQLCompiler(tables)
        scope.setPlace(fetch.layout, key: compiler.key("t0"), alias: "t0")
        columns = try table.columns.map { try $0.map { try column($0) } } ?? allColumns()
        guard !columns.isEmpty else {
            throw UnsupportedQuery.make("Invalid fetch request: propertiesToFetch is empty", entity: fetch.layout.name)
        }
        groups = try table.groups.map { try column($0) }
        if !groups.isEmpty { try checkGroups() }
        try putTogether()
    }

    private mutating func putTogether() throws {
        var conditions: [SQLFragment] = []
        if let restriction = try tables.restriction(
            of: fetch.layout, includesSubentities: fetch.includesSubentities, alias: "t0")
        {
            conditions.append(restriction)
        }
        if let predicate = fetch.predicate { conditions.append("(\(try condition(predicate)))") }
        for column in columns {
            switch column.result {
            case .value(let type):
                compiler.computedColumns[column.name] = (column.compared ?? column.sql[0], type)
            case .object: compiler.computedColumns[column.name] = (column.sql[0], .of(.reference))
            case .composite: break
            }
        }
        var having: SQLFragment = ""
        if let predicate = table.having {
            guard !groups.isEmpty else {
                throw UnsupportedQuery.make(
                    "Invalid fetch request: HAVING (with predicate) requires a GROUP BY (propertiesToGroupBy)")
            }
            compiler.aggregatesRows = true
            having = " HAVING \(try condition(predicate))"
            compiler.aggregatesRows = false
        }
        let order = try compiler.orderClause(fetch.sortDescriptors, scope)
        if tables.dialect.selectsGroupedValuesOnly { try checkGroupedValues() }
        let list = columns.flatMap(\.sql).joined(separator: ", ")
        let table = compiler.name(try tables.columns(of: fetch.layout).table)
        source = "FROM \((["\(table) t0"] + scope.joins).joined(separator: " "))"
        if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
        text = "SELECT \(raw: self.table.isDistinct ? "DISTINCT " : "")\(list) \(source)"
        if !groups.isEmpty { text += " GROUP BY \(groups.flatMap(\.sql).joined(separator: ", "))" }
        text += having + order
        if fetch.limit > 0 || fetch.offset > 0 { text += tables.dialect.limit(fetch.limit, offset: fetch.offset) }
    }

    private mutating func condition(_ predicate: NSPredicate) throws -> SQLFragment {
        try compiler.predicate(writer.numbering(predicate.node), scope)
    }

    private func checkGroups() throws {
        let grouped = Set(groups.flatMap(\.sql))
        for column in columns where !column.isAggregate && !grouped.isSuperset(of: column.values) {
            throw UnsupportedQuery.make(
                "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY "
                    + "or aggregate functions (\(column.name) is not in the GROUP BY)", entity: fetch.layout.name,
                key: column.name)
        }
    }

    /// Checks that every column has one value per group.
    ///
    /// - Throws: an error for a request of a value that differs between the rows of a group.
    private func checkGroupedValues() throws {
        let isGrouped = !groups.isEmpty
        guard isGrouped || table.isDistinct || columns.contains(where: \.isAggregate) else { return }
        if !isGrouped, columns.contains(where: \.isAggregate), !columns.allSatisfy(\.isAggregate) {
            throw UnsupportedQuery.make(
                "a fetch of sums or their kin beside other properties needs propertiesToGroupBy",
                entity: fetch.layout.name)
        }
        let given = Set(
            (columns + (table.isDistinct ? [] : groups)).flatMap { $0.sql + ($0.compared.map { [$0] } ?? []) })
        for (value, _) in try compiler.orderTerms(fetch.sortDescriptors, scope) where !given.contains(value) {
            throw UnsupportedQuery.make(
                "a fetch of groups or distinct results sorts by nothing but what it gives", entity: fetch.layout.name)
        }
    }

    // MARK: Columns

    private func allColumns() throws -> [Column] {
        var names: Set<String> = []
        return try fetch.layout.cells.compactMap { cell in
            let name = cell.compositeName ?? cell.name
            guard !cell.isTransient, cell.kind != .boxed, names.insert(name).inserted else { return nil }
            return try column(named: name, compiler.path([name], of: .evaluatedObject, scope))
        }
    }

    private mutating func column(_ wanted: FetchColumn) throws -> Column {
        switch wanted.content {
        case .path(let keys):
            return try column(named: wanted.name, compiler.path(keys, of: .evaluatedObject, scope))
        case .expression(let expression, let kind):
            compiler.aggregatesRows = true
            compiler.aggregates = 0
            compiler.givesAllDigits = expression.isTotal
            let operand = try compiler.operand(writer.numbering(expression), scope)
            compiler.aggregatesRows = false
            compiler.givesAllDigits = false
            var column = try column(named: wanted.name, operand)
            column.isAggregate = compiler.aggregates > 0
            if compiler.aggregates == 1, let found = compiler.lastAggregate, column.sql == [found.text] {
                column.aggregate = (found.function, found.argument, found.kind)
            }
            if case .value(let type) = column.result {
                if expression.isTotal, type.kind == .decimal {
                    let (dialect, sql) = (tables.dialect, column.sql[0])
                    column.compared =
                        column.aggregate?.function == .average
                        ? dialect.comparableMean(sql) : dialect.comparableDecimal(sql)
                }
                if let kind, kind != type.kind { column.declared = kind }
            }
            return column
        }
    }

    private func column(named name: String, _ operand: Operand) throws -> Column {
        switch operand {
        case .object(let place):
            let isPolymorphic = try tables.columns(of: place.layout).hasSubentities
            guard isPolymorphic else {
                return Column(name: name, sql: [place.key], result: .object(place.layout, selectsEntity: false))
            }
            let entity = try compiler.entity(of: place)
            return Column(name: name, sql: [place.key, entity], result: .object(place.layout, selectsEntity: true))
        case .composite(let whole):
            return Column(name: name, sql: whole.elements.map(\.sql), result: .composite(whole.elements))
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        default:
            let type = compiler.type(of: operand)
            return Column(name: name, sql: [try compiler.sql(operand, as: type)], result: .value(type))
        }
    }
}

extension DictionaryQuery.Column {
    /// The values to group by so that the column has one value per group. An object's entity follows from its key.
    fileprivate var values: ArraySlice<SQLFragment> {
        if case .composite = result { sql[...] } else { sql.prefix(1) }
    }
}

extension ExpressionNode {
    /// Whether it is a plain sum or mean.
    fileprivate var isTotal: Bool {
        switch self {
        case .function(let function, _): function == .sum || function == .average
        case .keyPath(let keys, _): keys.contains("@sum") || keys.contains("@avg")
        default: false
        }
    }
}
