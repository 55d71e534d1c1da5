import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import PredicateFormat

/// A fetch that returns dictionaries: columns, computed values, groups.
///
/// Compiled at every execution: running such a query in SQLite costs far more.
struct DictionaryFetch {
    private typealias Column = DictionaryQuery.Column

    private let session: SQLiteSession
    private var engine: SQLiteEngine { session.engine }
    private let fetch: StoreFetch
    private let object: (RowReference) -> Any

    init(_ fetch: StoreFetch, _ session: SQLiteSession, object: @escaping (RowReference) -> Any) {
        self.session = session
        self.fetch = fetch
        self.object = object
    }

    func run() throws -> [[String: Any]] {
        let query = try DictionaryQuery(fetch, engine)
        let sql = query.text.statement(in: engine.dialect)
        let grouping = streamedGrouping(query)
        do {
            return try session.read { connection in
                try connection.interrupting(fetch) {
                    if let grouping, let rows = try run(grouping, insteadOf: sql, query, on: connection) {
                        return rows
                    }
                    return try run(sql, query, on: connection)
                }
            }
        } catch is ValueFolder.Missing {
            // The value was replaced after the snapshot began: a new snapshot refers to the new file.
            do {
                return try session.read { try run(sql, query, on: $0) }
            } catch let missing as ValueFolder.Missing {
                throw MissingExternalValue.error(for: missing, fetch.layout.name, nil, of: nil)
            }
        }
    }

    private func run(
        _ sql: SQLStatement, _ query: DictionaryQuery, on connection: SQLiteConnection
    ) throws -> [[String: Any]] {
        let statement = try connection.prepare(sql.text)
        try bind(sql.bindings, of: query, to: statement)
        var rows: [[String: Any]] = []
        while try statement.step() { rows.append(try dictionary(statement, query.columns)) }
        return rows
    }

    private func bind(
        _ bindings: [ParameterBinding], of query: DictionaryQuery, to statement: SQLiteStatement
    ) throws {
        try ConstantBinder(engine: engine).bind(bindings, .list(query.constants), to: statement)
    }

    // MARK: Groups

    /// Returns a grouping that groups rows as they are read; nil if SQLite has to group them.
    private func streamedGrouping(_ query: DictionaryQuery) -> StreamedGrouping? {
        let (columns, groups, table) = (query.columns, query.groups, fetch.table ?? FetchTable())
        guard !groups.isEmpty, groups.allSatisfy(\.makesKeys), table.having == nil,
            fetch.sortDescriptors.isEmpty, !table.isDistinct, fetch.limit == 0, fetch.offset == 0
        else { return nil }
        let keys = groups.flatMap(\.sql)
        var items: [StreamedGrouping.Item] = []
        for column in columns {
            if column.isAggregate {
                guard let found = column.aggregate, found.function.isStreamed(over: found.kind) else { return nil }
                items.append(.aggregate(found.function, of: found.argument))
                continue
            }
            for sql in column.sql {
                guard let number = keys.firstIndex(of: sql) else { return nil }
                items.append(.key(number))
            }
        }
        return StreamedGrouping(items, keys: keys, from: query.source, in: engine.dialect)
    }

    private func run(
        _ grouping: StreamedGrouping, insteadOf sql: SQLStatement, _ query: DictionaryQuery,
        on connection: SQLiteConnection
    ) throws -> [[String: Any]]? {
        guard try grouping.pays(insteadOf: sql.text, table: engine.columns(of: fetch.layout).table, on: connection),
            let way = try GroupAggregate.Addition.ofSQLite(connection)
        else { return nil }
        var rows: [[String: Any]] = []
        let isDone = try grouping.run(on: connection, way, bind: { try bind($0, of: query, to: $1) }) { group in
            rows.append(try dictionary(group, query.columns))
        }
        return isDone ? rows : nil
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

extension DictionaryQuery.Column {
    /// Whether the values can be group keys: integers, text and objects, which compare equal here exactly if they do in
    /// SQLite.
    fileprivate var makesKeys: Bool {
        switch result {
        case .object: true
        case .composite: false
        case .value(let type):
            switch type.kind {
            case .int16, .int32, .int64, .boolean, .string: true
            default: false
            }
        }
    }
}
