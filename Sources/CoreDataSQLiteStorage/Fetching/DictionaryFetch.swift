import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import PredicateFormat

/// A fetch whose results are dictionaries: columns, computed values, groups.
///
/// Compiled at every execution; what these queries cost lies in SQLite.
struct DictionaryFetch {
    /// One value of the result: where it comes from and what it becomes.
    fileprivate struct Column {
        var name: String
        var sql: [SQLFragment]
        var result: Result

        enum Result {
            case value(ValueType)
            /// Key and entity number of an object; the number of the entity if it is always the same.
            case object(EntityLayout, selectsEntity: Bool)
            /// A dictionary of elements, a column for each.
            case composite([CompositeOperand.Element])
        }

        /// The type that the fetch declares for the value, where it is another.
        var declared: CellKind?
        /// SQL by which SQLite compares the value, where that is not what is given as the result.
        var compared: SQLFragment?
        var isAggregate = false
        /// What ``StreamedGrouping`` is to work out, where the value is just that.
        var aggregate: StreamedGrouping.Item?
    }

    private let session: SQLiteSession
    private var engine: SQLiteEngine { session.engine }
    private let fetch: StoreFetch
    private let table: FetchTable
    private let object: (RowReference) -> Any
    private let compiler: SQLCompiler
    private let scope = QueryScope(parent: nil)
    private var numbering = NumberedConstants()
    private var writer = ShapeWriter()

    init(_ fetch: StoreFetch, _ session: SQLiteSession, object: @escaping (RowReference) -> Any) {
        self.session = session
        self.fetch = fetch
        table = fetch.table ?? FetchTable()
        self.object = object
        compiler = SQLCompiler(session.engine)
        scope.setPlace(fetch.layout, key: "t0.Z_PK", alias: "t0")
    }

    mutating func run() throws -> [[String: Any]] {
        let columns = try table.columns.map { try $0.map { try column($0) } } ?? allColumns()
        guard !columns.isEmpty else {
            throw UnsupportedQuery.make("Invalid fetch request: propertiesToFetch is empty", entity: fetch.layout.name)
        }
        let groups = try table.groups.map { try column($0) }
        if !groups.isEmpty { try checkGroups(columns, groups) }
        let (query, source) = try statement(columns, groups)
        let sql = query.statement(in: engine.dialect)
        let grouping = streamedGrouping(columns, groups, from: source)
        do {
            return try session.read { connection in
                try connection.interrupting(fetch) {
                    if let grouping, let rows = try run(grouping, insteadOf: sql, columns, on: connection) {
                        return rows
                    }
                    return try run(sql, columns, on: connection)
                }
            }
        } catch is ValueFolder.Missing {
            // The value was replaced after the snapshot began: a new snapshot names the new file.
            do {
                return try session.read { try run(sql, columns, on: $0) }
            } catch let missing as ValueFolder.Missing {
                throw MissingExternalValue.error(for: missing, fetch.layout.name, nil, of: nil)
            }
        }
    }

    private func run(
        _ sql: SQLStatement, _ columns: [Column], on connection: SQLiteConnection
    ) throws -> [[String: Any]] {
        let statement = try connection.prepare(sql.text)
        try bind(sql.bindings, to: statement)
        var rows: [[String: Any]] = []
        while try statement.step() { rows.append(try dictionary(statement, columns)) }
        return rows
    }

    private func bind(_ bindings: [ParameterBinding], to statement: SQLiteStatement) throws {
        try ConstantBinder(engine: engine).bind(bindings, .list(writer.constants), to: statement)
    }

    /// The query, and the part of it that says which rows it is about.
    private mutating func statement(
        _ columns: [Column], _ groups: [Column]
    ) throws -> (SQLFragment, source: SQLFragment) {
        var conditions: [SQLFragment] = []
        if let restriction = try engine.restriction(
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
        let list = columns.flatMap(\.sql).joined(separator: ", ")
        let tables =
            (["\(raw: try engine.columns(of: fetch.layout).table) t0"] + scope.joins).joined(separator: " ")
        var source: SQLFragment = "FROM \(tables)"
        if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
        var text: SQLFragment = "SELECT \(raw: table.isDistinct ? "DISTINCT " : "")\(list) \(source)"
        if !groups.isEmpty { text += " GROUP BY \(groups.flatMap(\.sql).joined(separator: ", "))" }
        text += having + order
        if fetch.limit > 0 || fetch.offset > 0 {
            text += " LIMIT \(raw: fetch.limit > 0 ? fetch.limit : -1) OFFSET \(raw: fetch.offset)"
        }
        return (text, source)
    }

    private mutating func condition(_ predicate: NSPredicate) throws -> SQLFragment {
        writer.add(predicate.node)
        return try compiler.predicate(numbering.number(predicate.node), scope)
    }

    private func checkGroups(_ columns: [Column], _ groups: [Column]) throws {
        let grouped = Set(groups.flatMap(\.sql))
        for column in columns where !column.isAggregate && !grouped.isSuperset(of: column.values) {
            throw UnsupportedQuery.make(
                "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY "
                    + "or aggregate functions (\(column.name) is not in the GROUP BY)", entity: fetch.layout.name,
                key: column.name)
        }
    }

    // MARK: Groups

    /// The same query as one that groups rows while they are read; nil where that is left to SQLite.
    private func streamedGrouping(
        _ columns: [Column], _ groups: [Column], from source: SQLFragment
    ) -> StreamedGrouping? {
        guard !groups.isEmpty, groups.allSatisfy(\.makesKeys), table.having == nil,
            fetch.sortDescriptors.isEmpty, !table.isDistinct, fetch.limit == 0, fetch.offset == 0
        else { return nil }
        let keys = groups.flatMap(\.sql)
        var items: [StreamedGrouping.Item] = []
        for column in columns {
            if column.isAggregate {
                guard let aggregate = column.aggregate else { return nil }
                items.append(aggregate)
                continue
            }
            for sql in column.sql {
                guard let number = keys.firstIndex(of: sql) else { return nil }
                items.append(.key(number))
            }
        }
        return StreamedGrouping(items, keys: keys, from: source, in: engine.dialect)
    }

    private func run(
        _ grouping: StreamedGrouping, insteadOf sql: SQLStatement, _ columns: [Column], on connection: SQLiteConnection
    ) throws -> [[String: Any]]? {
        guard try grouping.pays(insteadOf: sql.text, table: engine.columns(of: fetch.layout).table, on: connection),
            let way = try GroupAggregate.Addition.ofSQLite(connection)
        else { return nil }
        var rows: [[String: Any]] = []
        let isDone = try grouping.run(on: connection, way, bind: { try bind($0, to: $1) }) { group in
            rows.append(try dictionary(group, columns))
        }
        return isDone ? rows : nil
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
            writer.add(expression)
            compiler.aggregatesRows = true
            compiler.aggregates = 0
            compiler.givesAllDigits = expression.isTotal
            let operand = try compiler.operand(numbering.number(expression), scope)
            compiler.aggregatesRows = false
            compiler.givesAllDigits = false
            var column = try column(named: wanted.name, operand)
            column.isAggregate = compiler.aggregates > 0
            if compiler.aggregates == 1, let found = compiler.lastAggregate, column.sql == [found.text],
                found.function.isStreamed(over: found.kind)
            {
                column.aggregate = .aggregate(found.function, of: found.argument)
            }
            if case .value(let type) = column.result {
                if expression.isTotal, type.kind == .decimal { column.compared = "CDNumber(\(column.sql[0]))" }
                if let kind, kind != type.kind { column.declared = kind }
            }
            return column
        }
    }

    private func column(named name: String, _ operand: Operand) throws -> Column {
        switch operand {
        case .object(let place):
            let isPolymorphic = try engine.columns(of: place.layout).hasSubentities
            guard isPolymorphic else {
                return Column(name: name, sql: [place.key], result: .object(place.layout, selectsEntity: false))
            }
            let alias = try place.scope.alias(of: place, compiler: compiler)
            return Column(
                name: name, sql: [place.key, "\(raw: alias).Z_ENT"], result: .object(place.layout, selectsEntity: true))
        case .composite(let whole):
            return Column(name: name, sql: whole.elements.map(\.sql), result: .composite(whole.elements))
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        default:
            let type = compiler.type(of: operand)
            return Column(name: name, sql: [try compiler.sql(operand, as: type)], result: .value(type))
        }
    }

    // MARK: Results

    private func dictionary(_ statement: SQLiteStatement, _ columns: [Column]) throws -> [String: Any] {
        var row: [String: Any] = [:]
        var index: Int32 = 0
        for column in columns {
            switch column.result {
            case .value(let type):
                row[column.name] = try value(statement, index, type, column)
            case .object(let layout, let selectsEntity):
                let key = statement.isNull(index) ? 0 : try engine.checkedKey(statement, index, of: layout.number)
                var number: Int? = layout.number
                if selectsEntity { number = engine.numbering.inModel(Int(statement.integer(index + 1))) }
                if key > 0, let number { row[column.name] = object(RowReference(entityNumber: number, key: key)) }
            case .composite(let elements):
                var whole: [String: Any] = [:]
                for (offset, element) in elements.enumerated() {
                    let value = try ResultValue.decode(statement, index + Int32(offset), element.type, engine.files)
                    if let value { CompositeValue.set(value, at: element.path[...], of: &whole) }
                }
                if !whole.isEmpty { row[column.name] = whole }
            }
            index += Int32(column.sql.count)
        }
        return row
    }

    private func value(
        _ statement: SQLiteStatement, _ index: Int32, _ type: ValueType, _ column: Column
    ) throws -> Any? {
        guard let declared = column.declared else {
            return try ResultValue.decode(statement, index, type, engine.files)
        }
        if statement.type(index) == SQLITE_INTEGER,
            let number = DeclaredValue.integer(statement.integer(index), as: declared)
        {
            return number
        }
        return try ResultValue.decode(statement, index, type, engine.files).map {
            try DeclaredValue.of($0, as: declared, column: column.name, of: fetch.layout)
        }
    }
}

extension ExpressionNode {
    /// Whether it is a sum or mean, and nothing is computed of that.
    fileprivate var isTotal: Bool {
        switch self {
        case .function(let function, _): function == .sum || function == .average
        case .keyPath(let keys, _): keys.contains("@sum") || keys.contains("@avg")
        default: false
        }
    }
}

extension DictionaryFetch.Column {
    /// Whether rows can be told apart by its values as SQLite tells them apart: whole numbers, text and objects.
    fileprivate var makesKeys: Bool {
        guard case .value(let type) = result else { return !isComposite }
        return switch type.kind {
        case .int16, .int32, .int64, .boolean, .string: true
        default: false
        }
    }

    /// What a query that groups rows must group them by for the column to have one value: an object's entity follows from its
    /// key.
    fileprivate var values: ArraySlice<SQLFragment> { isComposite ? sql[...] : sql.prefix(1) }

    private var isComposite: Bool {
        if case .composite = result { true } else { false }
    }
}
